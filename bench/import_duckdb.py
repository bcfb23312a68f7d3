"""Imports a CSV file with DuckDB: checks the rows, stores them and writes the result.

    import_duckdb.py SCHEMA RESULT DATABASE FILE

SCHEMA is a schema document of Intray. DATABASE is the path of a file, or :memory:. For each field
with rules, the table contains the value of valid cells and the raw text of invalid ones. One column
has a bit for each rule that the row violates. RESULT receives one JSON object per row, with the raw
text of invalid cells. The program prints the number of rows, of rows with errors, and of rows that
violate each rule.
"""

import json
import sys

import duckdb

# For each type: the condition for a valid CELL, and the expression for its value. No condition is
# stricter than the rules of Intray, and most are simpler.
TYPES = {
    "email": (r"regexp_full_match(CELL, '[^@\s]+@[^@\s]+\.[^@\s]+')", "CELL"),
    "phone-number": (r"regexp_full_match(CELL, '\+[0-9][0-9 -]{6,20}')", "replace(replace(CELL, ' ', ''), '-', '')"),
    "date": (None, "TRY_CAST(CELL AS DATE)"),
    "number": (None, "TRY_CAST(CELL AS DOUBLE)"),
    "select": ("CELL IN (OPTIONS)", "CELL"),
    "url": (r"regexp_full_match(CELL, 'https?://[^/\s]+\.[^/\s]+/\S*')", "CELL"),
}

CHECKED = """CREATE TABLE checked AS SELECT {columns}, ({bits})::BIGINT AS errors
FROM read_csv('{file}', all_varchar = true, header = true)"""

TWICE = """CREATE TABLE "twice_{field}" AS SELECT rowid AS row FROM checked
WHERE {column} IN (SELECT {column} FROM checked GROUP BY {column} HAVING count(*) > 1)"""

WRITTEN = "COPY (SELECT {columns} FROM checked) TO '{result}' (FORMAT JSON)"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def listed(texts):
    return ", ".join(quoted(text) for text in texts)


class Field:
    """The SQL for one field."""

    def __init__(self, field, missing):
        self.key, kind = field["key"], field["type"]
        self.name = f'"{self.key}"'
        rules = {rule["validate"]: rule for rule in field.get("validators", [])}
        valid, value = TYPES.get(kind, (None, None))
        if kind == "select":
            valid = valid.replace("OPTIONS", listed(option["value"] for option in field["selectOptions"]))
        # conditions maps Intray's code of each rule to the condition under which a row violates it.
        self.conditions = {}
        self.unique = "unique" in rules
        if "required" in rules:
            self.conditions["required"] = f"{self.name} IS NULL"
        if "regex_match" in rules:
            valid = f"regexp_full_match(CELL, {quoted(rules['regex_match']['regex'].strip('^$'))})"
            kind, value = "regex_match", "CELL"
        if "length" in rules:
            valid = f"length(CELL) BETWEEN {rules['length'].get('min', 0)} AND {rules['length']['max']}"
            kind, value = "length", "CELL"
        self.value, self.raw = self.name, None
        self.columns = [self.name]
        self.written = f"coalesce({self.name}, '')"
        if value is None:
            return
        # The alias of a column can be used by the columns after it.
        self.value, self.raw = f'"{self.key}_value"', f'"{self.key}_raw"'
        value = value.replace("CELL", self.name)
        if valid:
            value = f"CASE WHEN {valid.replace('CELL', self.name)} THEN {value} END"
        # A condition must not be NULL. Only a regular expression finds an empty cell wrong.
        unread = f"{self.value} IS NULL"
        if missing:
            unread = f"({unread} AND {self.name} NOT IN ({listed(missing)})) IS TRUE"
        wrong = unread if kind == "regex_match" or missing else f"({unread} AND {self.name} <> '') IS TRUE"
        self.columns = [f"{value} AS {self.value}", f"CASE WHEN {unread} THEN {self.name} END AS {self.raw}"]
        self.conditions[kind.replace("-", "_")] = wrong
        if kind == "number":
            self.written = f"CASE WHEN {self.value} IS NULL THEN to_json({self.raw}) ELSE to_json({self.value}) END"
        elif kind == "length":
            self.written = f"coalesce({self.value}, {self.raw}, '')"
        elif kind == "select":
            self.written = f"nullif(coalesce({self.value}, {self.raw}), '')"
        else:
            self.written = f"coalesce({self.value}::VARCHAR, {self.raw})"


def main(schema, result, database, file):
    with open(schema) as document:
        known = json.load(document)
    extensions = known.get("extensions", {}).get("fields", {})
    fields = [Field(field, extensions.get(field["key"], {}).get("missingValues", [])) for field in known["fields"]]
    conditions = {f"{field.key}.{code}": condition for field in fields for code, condition in field.conditions.items()}
    unique = [field for field in fields if field.unique]
    connection = duckdb.connect(database)
    connection.execute(CHECKED.format(
        columns=", ".join(column for field in fields for column in field.columns), file=file.replace("'", "''"),
        bits=" + ".join(f"({condition})::BIGINT * {1 << i}" for i, condition in enumerate(conditions.values())) or "0"))
    for field in unique:
        connection.execute(TWICE.format(field=field.key, column=field.value))
    twice = " UNION ALL ".join(f'FROM "twice_{field.key}"' for field in unique)
    counts = ["count(*)", "count(*) FILTER (errors <> 0" + (f" OR rowid IN ({twice})" if twice else "") + ")"]
    counts += [f"count(*) FILTER (errors & {1 << i} <> 0)" for i in range(len(conditions))]
    counts += [f'(SELECT count(*) FROM "twice_{field.key}")' for field in unique]
    found = connection.execute(f"SELECT {', '.join(counts)} FROM checked").fetchone()
    connection.execute(WRITTEN.format(columns=", ".join(f"{field.written} AS {field.name}" for field in fields), result=result.replace("'", "''")))
    connection.close()
    codes = list(conditions) + [f"{field.key}.unique" for field in unique]
    problems = {code: n for code, n in zip(codes, found[2:]) if n > 0}
    print(json.dumps({"rows": found[0], "badRows": found[1], "problems": problems}))


main(*sys.argv[1:])
