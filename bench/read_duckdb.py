"""Reads a file with DuckDB and prints a tally of its data as JSON.

    read_duckdb.py FORM time|check FILE

FORM is one of:

    csv      reads all columns of a CSV file as text, with an aggregate over each column
    table    reads all columns of a CSV file as text into a table in memory
    ndjson   reads all columns of an NDJSON file as text
    typed    reads an NDJSON file with the types that DuckDB detects
"""

import csv
import json
import sys

import duckdb

# The columns of a generated file for which DuckDB detects a type other than text.
TYPED = ("id", "signed_up", "amount")


def header(form, name):
    with open(name, newline="", encoding="utf-8") as file:
        return next(csv.reader(file)) if form in ("csv", "table") else list(json.loads(next(file)))


def source(form, name, columns):
    file = "'" + name.replace("'", "''") + "'"
    if form in ("csv", "table"):
        return f"read_csv({file}, all_varchar = true)"
    texts = ", ".join(f"{column}: 'VARCHAR'" for column in columns)
    given = "" if form == "typed" else f", columns = {{{texts}}}"
    return f"read_json({file}, format = 'newline_delimited'{given})"


def query(form, columns, check):
    looks = ["count(*)"]
    for column in columns:
        if form == "typed" and column in TYPED and not check:
            looks.append(f"max({column})")
        else:
            looks.append(f"sum(strlen({column}::VARCHAR))")
    if check:
        looks += [f"sum(md5_number_lower({column}::VARCHAR))" for column in columns]
    return ", ".join(looks)


def main(form, what, name):
    connection = duckdb.connect()
    columns = header(form, name)
    table = source(form, name, columns)
    check = what == "check"
    looks = query(form, columns, check)
    if form == "table":
        connection.execute(f"CREATE TABLE found AS SELECT * FROM {table}")
        table = "found"
        if not check:
            looks = "count(*)"
    found = connection.execute(f"SELECT {looks} FROM {table}").fetchone()
    width = len(columns)
    answer = {"rows": found[0]}
    if check or form in ("csv", "ndjson"):
        answer["bytes"] = [int(n or 0) for n in found[1 : width + 1]]
    if check:
        answer["sums"] = [int(n or 0) % 2**64 for n in found[width + 1 :]]
    print(json.dumps(answer))


main(*sys.argv[1:])
