"""Imports a customer file with DuckDB: checks the rows, stores them and writes the result.

    import_duckdb.py RESULT DATABASE FILE

DATABASE is the path of a file, or :memory:. For each field, the table contains the value
of valid cells and the raw text of invalid ones. One column has a bit for each rule that
the row violates. RESULT receives one JSON object per row, with the raw text of invalid
cells. The program prints the number of rows, of rows with errors, and of rows that violate
each rule.
"""

import json
import sys

import duckdb

COUNTRIES = "DE NL FR IT GB PL DK JP PT CH SE ES AT BE US CA BR IN AU NO".split()
# For each column: the condition for a valid cell, and the expression for its value. No
# condition is stricter than the rules of the schema, and most are simpler.
RULES = {
    "email": (r"regexp_full_match(email, '[^@\s]+@[^@\s]+\.[^@\s]+')", "email"),
    "phone": (r"regexp_full_match(phone, '\+[0-9][0-9 -]{6,20}')", "replace(replace(phone, ' ', ''), '-', '')"),
    "signed_up": (None, "TRY_CAST(signed_up AS DATE)"),
    "amount": (None, "TRY_CAST(amount AS DOUBLE)"),
    "country": ("country IN ({})".format(", ".join(f"'{c}'" for c in COUNTRIES)), "country"),
    "reference": ("regexp_full_match(reference, '[A-Z]{2}-[0-9]{4}-[0-9]{2}')", "reference"),
    "url": (r"regexp_full_match(url, 'https?://[^/\s]+\.[^/\s]+/\S*')", "url"),
}
# Intray's code for each bit of the column errors.
BITS = ["name.required", "email.email", "phone.phone_number", "signed_up.date", "amount.number", "country.select",
        "reference.regex_match", "url.url"]
UNIQUE = {"id": "id", "email": "email_value"}

CHECKED = """CREATE TABLE checked AS SELECT id, name, notes, {columns}, ({bits})::SMALLINT AS errors
FROM read_csv('{file}', all_varchar = true, header = true)"""

TWICE = """CREATE TABLE twice_{field} AS SELECT rowid AS row FROM checked
WHERE {column} IN (SELECT {column} FROM checked GROUP BY {column} HAVING count(*) > 1)"""

WRITTEN = """COPY (SELECT id, coalesce(name, '') AS name, coalesce(email_value, email_raw) AS email,
coalesce(phone_value, phone_raw) AS phone, coalesce(signed_up_value::VARCHAR, signed_up_raw) AS signed_up,
CASE WHEN amount_value IS NULL THEN to_json(amount_raw) ELSE to_json(amount_value) END AS amount,
coalesce(country_value, country_raw) AS country, coalesce(reference_value, reference_raw) AS reference, notes,
coalesce(url_value, url_raw) AS url FROM checked) TO '{result}' (FORMAT JSON)"""


def checked(file):
    columns = []
    for field, (rule, value) in RULES.items():
        columns.append(f"CASE WHEN {rule} THEN {value} END AS {field}_value" if rule else f"{value} AS {field}_value")
        columns.append(f"CASE WHEN {field}_value IS NULL THEN {field} END AS {field}_raw")
    wrong = ["name IS NULL"] + [f"{field}_value IS NULL" for field in RULES]
    bits = " + ".join(f"({w})::INTEGER * {1 << i}" for i, w in enumerate(wrong))
    return CHECKED.format(columns=", ".join(columns), bits=bits, file=quoted(file))


def counted():
    looks = ["count(*)", "count(*) FILTER (errors <> 0 OR rowid IN (FROM twice_id UNION ALL FROM twice_email))"]
    looks += [f"count(*) FILTER (errors & {1 << i} <> 0)" for i in range(len(BITS))]
    looks += [f"(SELECT count(*) FROM twice_{field})" for field in UNIQUE]
    return "SELECT {} FROM checked".format(", ".join(looks))


def quoted(name):
    return name.replace("'", "''")


def main(result, database, file):
    connection = duckdb.connect(database)
    connection.execute(checked(file))
    for field, column in UNIQUE.items():
        connection.execute(TWICE.format(field=field, column=column))
    found = connection.execute(counted()).fetchone()
    connection.execute(WRITTEN.format(result=quoted(result)))
    connection.close()
    codes = BITS + [f"{field}.unique" for field in UNIQUE]
    print(json.dumps({"rows": found[0], "badRows": found[1], "problems": dict(zip(codes, found[2:]))}))


main(*sys.argv[1:])
