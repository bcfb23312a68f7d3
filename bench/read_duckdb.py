"""Reads a generated file with DuckDB and prints a tally of its data as JSON.

    read_duckdb.py FORM time|check FILE

FORM is one of:

    csv      reads all columns of a CSV file as text, with an aggregate over each column
    table    reads all columns of a CSV file as text into a table in memory
    ndjson   reads all columns of an NDJSON file as text
    typed    reads an NDJSON file with the types that DuckDB detects
"""

import json
import sys

import duckdb

HEADER = "id first_name last_name email phone signed_up amount country notes url".split()
# The columns for which DuckDB detects a type other than text.
TYPED = ("id", "signed_up", "amount")


def source(form, name):
    file = "'" + name.replace("'", "''") + "'"
    if form in ("csv", "table"):
        return f"read_csv({file}, all_varchar = true)"
    columns = ", ".join(f"{column}: 'VARCHAR'" for column in HEADER)
    given = "" if form == "typed" else f", columns = {{{columns}}}"
    return f"read_json({file}, format = 'newline_delimited'{given})"


def query(form, check):
    looks = ["count(*)"]
    for column in HEADER:
        if form == "typed" and column in TYPED and not check:
            looks.append(f"max({column})")
        else:
            looks.append(f"sum(strlen({column}::VARCHAR))")
    if check:
        looks += [f"sum(md5_number_lower({column}::VARCHAR))" for column in HEADER]
    return ", ".join(looks)


def main(form, what, name):
    connection = duckdb.connect()
    table = source(form, name)
    check = what == "check"
    looks = query(form, check)
    if form == "table":
        connection.execute(f"CREATE TABLE people AS SELECT * FROM {table}")
        table = "people"
        if not check:
            looks = "count(*)"
    found = connection.execute(f"SELECT {looks} FROM {table}").fetchone()
    width = len(HEADER)
    answer = {"rows": found[0]}
    if check or form in ("csv", "ndjson"):
        answer["bytes"] = [int(n or 0) for n in found[1 : width + 1]]
    if check:
        answer["sums"] = [int(n or 0) % 2**64 for n in found[width + 1 :]]
    print(json.dumps(answer))


main(*sys.argv[1:])
