"""Reads a folder of results, dates.FORMAT, with one library: read.py LIBRARY FORMAT FOLDER.

Prints each row as a line of JSON with the text of the columns day, at and time.
"""
import datetime
import json
import sys


def text(v):
    if isinstance(v, datetime.datetime):
        return v.isoformat(timespec="seconds" if v.microsecond == 0 else "microseconds")
    if isinstance(v, datetime.date):
        return v.isoformat()
    if isinstance(v, datetime.time):
        return v.isoformat(timespec="seconds" if v.microsecond == 0 else "microseconds")
    return str(v)


def duckdb_rows(fmt, path):
    import duckdb
    table = {"json": "read_json", "ndjson": "read_json", "csv": "read_csv", "parquet": "read_parquet"}[fmt]
    options = {} if fmt == "parquet" else {"columns": {"day": "DATE", "at": "TIMESTAMP", "time": "TIME"}}
    more = f", columns = {json.dumps(options['columns'])}".replace('"', "'") if options else ""
    return duckdb.sql(f"""select "day", "at", "time" from {table}('{path}'{more})""").fetchall()


def pyarrow_rows(fmt, path):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.json
    import pyarrow.parquet
    types = pa.schema([("day", pa.date32()), ("at", pa.timestamp("us")), ("time", pa.time32("s"))])
    if fmt == "parquet":
        table = pyarrow.parquet.read_table(path)
    elif fmt == "csv":
        table = pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(column_types=types))
    else:
        # The reader of JSON has no type for times and reads only whole numbers as dates.
        as_text = pa.schema([(name, pa.string()) for name in types.names])
        table = pyarrow.json.read_json(path, parse_options=pyarrow.json.ParseOptions(explicit_schema=as_text))
    return zip(*(table.column(name).to_pylist() for name in types.names))


def pandas_rows(fmt, path):
    import pandas
    if fmt == "parquet":
        frame = pandas.read_parquet(path)
    elif fmt == "xlsx":
        frame = pandas.read_excel(path)
    elif fmt == "csv":
        frame = pandas.read_csv(path)
    else:
        frame = pandas.read_json(path, lines=fmt == "ndjson", convert_dates=False, dtype=str)
    return zip(*(list(frame[name]) for name in ["day", "at", "time"]))


def openpyxl_rows(fmt, path):
    import openpyxl
    sheet = openpyxl.load_workbook(path, read_only=True).worksheets[0]
    return sheet.iter_rows(min_row=2, values_only=True)


library, fmt, folder = sys.argv[1:]
rows = globals()[library + "_rows"](fmt, f"{folder}/dates.{fmt}")
for day, at, time in rows:
    if library in ("openpyxl", "pandas") and isinstance(day, datetime.datetime) and day.time() == datetime.time():
        day = day.date()  # these libraries return the date of a workbook with a time
    print(json.dumps({"day": text(day), "at": text(at), "time": text(time)}))
