"""Writes a table with DuckDB, for comparison with Intray's exports.

    export_table.py prepare RESULT TABLE
    export_table.py write csv|ndjson|parquet TABLE FILE
    export_table.py sum csv|ndjson|parquet TABLE FILE

prepare copies a Parquet file that Intray wrote to TABLE, a Parquet file with the types that DuckDB
detects in the same table as CSV: numbers without decimal places are integers. The column $text,
which holds what typed columns cannot hold, is dropped. prepare prints the names of the columns whose
values it held. write copies TABLE to FILE and prints the number of rows. sum prints the number of rows of FILE and, for each column of TABLE, the number of
its cells that have a value of the column's type and the sum of their hashes. In CSV, text has no
prefix that neutralizes formulas.
"""

import json
import sys

import duckdb

OPTIONS = {
    "csv": "FORMAT csv, HEADER",
    "ndjson": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}


def quoted(name):
    return "'" + name.replace("'", "''") + "'"


def columns(table):
    return [row[:2] for row in duckdb.execute(f"DESCRIBE SELECT * FROM read_parquet({quoted(table)})").fetchall()]


def prepare(result, table):
    source = f"read_parquet({quoted(result)})"
    names = columns(result)
    untyped = []
    if ("$text", "VARCHAR") in names:
        names.remove(("$text", "VARCHAR"))
        untyped = duckdb.execute(f'SELECT DISTINCT unnest(json_keys("$text")) FROM {source} ORDER BY 1').fetchall()
    whole = [f'count(*) FILTER ("{name}" <> floor("{name}"))' if kind == "DOUBLE" else "1" for name, kind in names]
    found = duckdb.execute(f"SELECT {', '.join(whole)} FROM {source}").fetchone()
    typed = [f'"{name}"::BIGINT AS "{name}"' if n == 0 else f'"{name}"' for (name, _), n in zip(names, found)]
    duckdb.execute(f"COPY (SELECT {', '.join(typed)} FROM {source}) TO {quoted(table)} ({OPTIONS['parquet']})")
    return [key for key, in untyped]


def write(form, table, file):
    return duckdb.execute(f"COPY (SELECT * FROM read_parquet({quoted(table)})) TO {quoted(file)} ({OPTIONS[form]})").fetchone()[0]


def sum_(form, table, file):
    types = columns(table)
    if form == "parquet":
        source = f"read_parquet({quoted(file)})"
    else:
        texts = "{" + ", ".join(f"'{name}': 'VARCHAR'" for name, _ in types) + "}"
        read = "read_csv({}, columns = {}, header = true, quote = '\"', escape = '\"', delim = ',')" if form == "csv" else \
            "read_json({}, format = 'newline_delimited', columns = {})"
        source = read.format(quoted(file), texts)
    looks = ["count(*)"]
    for name, kind in types:
        value = f'"{name}"'
        if form == "csv":
            value = f"CASE WHEN {value}[1] = '''' THEN {value}[2:] ELSE {value} END"
        if kind == "VARCHAR":
            value = f"nullif({value}, '')"
        looks += [f"count(TRY_CAST({value} AS {kind}))", f"sum(hash(TRY_CAST({value} AS {kind})))"]
    rows, *sums = duckdb.execute(f"SELECT {', '.join(looks)} FROM {source}").fetchone()
    # A null has a hash, too, but both files have the same number of them.
    return {"rows": rows, "columns": {name: [str(sums[2 * i]), str(sums[2 * i + 1])] for i, (name, _) in enumerate(types)}}


TASKS = {"prepare": prepare, "write": write, "sum": sum_}
print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
