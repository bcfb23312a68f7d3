"""Summarizes the result of a customer import with DuckDB and prints the figures as JSON.

    export_duckdb.py ndjson|json|csv|parquet|wide FILE

In every format, the value of a cell is its text in the JSON result. In Parquet, that is
the value of the typed column or of $text. In CSV, it is the text without the prefix that
neutralizes formulas. Empty cells do not count. In a wide table, the kind of sum depends on
the type of the column.
"""

import json
import sys

import duckdb

FIELDS = "id name email phone signed_up amount country reference notes url".split()


def source(form, file):
    columns = "{" + ", ".join(f"{field}: 'VARCHAR'" for field in FIELDS) + "}"
    return {
        "ndjson": f"read_json({file}, format = 'newline_delimited', columns = {columns})",
        "json": f"read_json({file}, format = 'array', columns = {columns})",
        "csv": f"read_csv({file}, all_varchar = true, header = true)",
        "parquet": f"read_parquet({file})",
    }[form]


def text(form, field):
    if form == "parquet" and field in ("signed_up", "amount"):
        return f"""coalesce({field}::VARCHAR, json_extract_string("$text", '$.{field}'), '')"""
    if form == "csv":
        return f"CASE WHEN {field}[1] = '''' THEN {field}[2:] ELSE coalesce({field}, '') END"
    return f"coalesce({field}, '')"


def customers(form, file):
    amount = text(form, "amount")
    looks = ["count(*)", f"(sum(TRY_CAST({amount} AS DECIMAL(18, 2))) * 100)::BIGINT"]
    texts = {field: text(form, field) for field in FIELDS if field != "amount"}
    looks += [f"count(*) FILTER (({t}) <> '')" for t in texts.values()]
    looks += [f"sum(hash({t}))" for t in texts.values()]
    rows, cents, *rest = duckdb.execute(f"SELECT {', '.join(looks)} FROM {source(form, file)}").fetchone()
    sums = [int(n) % 2**64 for n in rest[len(texts):]]
    return {"rows": rows, "cents": cents, "filled": dict(zip(texts, rest)), "sums": dict(zip(texts, sums))}


def wide(file):
    def over(kinds, what):
        return " + ".join(what.format(f"f{i}") for i in range(50) if i % 10 in kinds)

    looks = {
        "rows": "count(*)",
        "bytes": over((0, 6), "sum(strlen({}))"),
        "wholes": over((4,), "sum({})"),
        "cents": over((7,), "sum({})") .join(("(", ") * 100")),
        "days": over((2,), "sum(day({}))"),
        "truths": over((8,), "count(*) FILTER ({})"),
        "nulls": over(range(10), "count(*) - count({})"),
        "items": over((9,), "sum(len({}))"),
    }
    found = duckdb.execute(f"SELECT {', '.join(looks.values())} FROM read_parquet({file})").fetchone()
    return dict(zip(looks, map(int, found)))


def main(form, name):
    file = "'" + name.replace("'", "''") + "'"
    print(json.dumps(wide(file) if form == "wide" else customers(form, file)))


main(*sys.argv[1:])
