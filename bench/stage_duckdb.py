"""Computes the figures of a stage of customers with DuckDB and prints them as JSON.

    stage_duckdb.py FOLDER
"""

import json
import sys

import duckdb

FIELDS = "id name email phone signed_up amount country reference notes url".split()


def main(folder):
    folder = folder.replace("'", "''")
    looks = ["count(*)", "sum(amount::DECIMAL(18, 2) * 100)::BIGINT", "sum(_line)"]
    looks += [f"count(*) - count({field})" for field in FIELDS]
    looks += [f"count({field}__raw)" for field in FIELDS]
    found = duckdb.execute(f"SELECT {', '.join(looks)} FROM read_parquet('{folder}/**/seg-*.parquet')").fetchone()
    rows, cents, lines, *rest = found
    problems = duckdb.execute(
        f"SELECT field, code, count(*) FROM read_parquet('{folder}/**/problems.parquet') GROUP BY ALL").fetchall()
    print(json.dumps({
        "rows": rows, "cents": cents, "lines": int(lines),
        "nulls": dict(zip(FIELDS, rest)), "raws": dict(zip(FIELDS, rest[len(FIELDS):])),
        "problems": {f"{FIELDS[field]}.{code}": n for field, code, n in problems},
    }))


main(*sys.argv[1:])
