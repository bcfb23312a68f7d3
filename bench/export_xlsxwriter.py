"""Writes a table as a workbook with xlsxwriter and prints the number of rows.

    export_xlsxwriter.py TABLE KINDS [BOOK]

TABLE is a CSV file with a header. KINDS is a JSON array with the kind of each column: text, number or
date. Empty cells are missing. Without BOOK, the program only reads the table.
"""

import csv
import datetime
import json
import sys

SHEET_ROWS = 1_048_576


PARSERS = {"text": str, "number": float, "date": datetime.date.fromisoformat}


def rows_of(table, kinds):
    parsers = [PARSERS[kind] for kind in kinds]
    with open(table, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        yield next(reader)
        for texts in reader:
            yield [parse(text) if text else None for parse, text in zip(parsers, texts)]


def read(table, kinds):
    return sum(1 for _ in rows_of(table, kinds)) - 1


def write(table, kinds, book):
    import xlsxwriter

    with xlsxwriter.Workbook(book, {"constant_memory": True, "strings_to_urls": False}) as workbook:
        day = workbook.add_format({"num_format": "yyyy-mm-dd"})
        rows = rows_of(table, kinds)
        header = next(rows)
        total, at, sheet, methods = 0, SHEET_ROWS, None, []
        for row in rows:
            if at == SHEET_ROWS:
                sheet, at = workbook.add_worksheet(), 1
                sheet.write_row(0, 0, header)
                write_date = lambda r, c, value, sheet=sheet: sheet.write_datetime(r, c, value, day)
                methods = [{"text": sheet.write_string, "number": sheet.write_number, "date": write_date}[kind] for kind in kinds]
            for column, value in enumerate(row):
                if value is not None:
                    methods[column](at, column, value)
            at += 1
            total += 1
    return total


table, kinds, *book = sys.argv[1:]
kinds = json.loads(kinds)
print(write(table, kinds, *book) if book else read(table, kinds))
