"""Reads a workbook or web page and prints a tally of its data as JSON.

    read_workbook.py PROGRAM time|check FILE

PROGRAM is one of:

    calamine         reads all cells of all sheets with python-calamine
    calamine-sheets  does the same, but in a timed run only reads the sheets and converts no cell
    xlrd             reads all cells of all sheets with xlrd
    pandas           reads the first sheet with pandas, which uses odfpy for OpenDocument
    lxml             reads all cells of the first table with lxml
    pandas-html      reads the first table with pandas, which uses lxml

A timed run keeps the cells in memory and counts only the rows.
"""

import datetime
import hashlib
import json
import sys

AMOUNT = 6


def text(value, column, day):
    """Returns the text that a spreadsheet program displays."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, datetime.date):
        return value.isoformat()[:10]
    if day is not None and column == 5:
        return day(value).isoformat()[:10]
    if column == AMOUNT:
        return f"{value:,.2f}"
    return f"{value:.0f}" if value == int(value) else repr(value)


def calamine(name, convert):
    import python_calamine

    book = python_calamine.load_workbook(name)
    for sheet in book.sheet_names:
        found = book.get_sheet_by_name(sheet)
        yield found.to_python() if convert else range(found.height)


def xlrd(name):
    import xlrd

    book = xlrd.open_workbook(name)
    for sheet in book.sheets():
        yield [sheet.row_values(i) for i in range(sheet.nrows)]


def pandas(name):
    import pandas

    yield pandas.read_excel(name, header=None).values.tolist()


def lxml(name):
    import lxml.html

    yield [[cell.text_content() for cell in row] for row in lxml.html.parse(name).iter("tr")]


def pandas_html(name):
    import pandas

    yield pandas.read_html(name, flavor="lxml", header=None)[0].values.tolist()


def excel_day(value):
    return datetime.datetime(1899, 12, 30) + datetime.timedelta(days=value)


def main(program, what, name):
    check = what == "check"
    if program.startswith("calamine"):
        sheets = calamine(name, check or program == "calamine")
    else:
        sheets = {"xlrd": xlrd, "pandas": pandas, "lxml": lxml, "pandas-html": pandas_html}[program](name)
    header = 0 if program == "pandas-html" else 1
    rows, sizes, sums = 0, [], []
    for sheet in sheets:
        body = sheet[header:]
        rows += len(body)
        if not check:
            continue
        for row in body:
            for i, value in enumerate(row):
                if i == len(sizes):
                    sizes.append(0)
                    sums.append(0)
                raw = text(value, i, excel_day if program == "xlrd" else None).encode()
                sizes[i] += len(raw)
                if raw:
                    sums[i] += int.from_bytes(hashlib.md5(raw).digest()[8:], "little")
    answer = {"rows": rows}
    if check:
        answer |= {"bytes": sizes, "sums": [n % 2**64 for n in sums]}
    print(json.dumps(answer))


main(*sys.argv[1:])
