"""Reads all columns of a CSV file as text with polars and prints a tally of its data as JSON.

    read_polars.py time|check FILE
"""

import hashlib
import json
import sys

import polars


def checksum(column):
    """Returns the sum of the last eight bytes of the MD5 of each cell."""
    texts = column.drop_nulls().rename("text").value_counts(name="count")
    sums = (int.from_bytes(hashlib.md5(text.encode()).digest()[8:], "little") * count for text, count in texts.iter_rows())
    return sum(sums) % 2**64


def main(what, name):
    table = polars.read_csv(name, infer_schema=False)
    found = table.select(polars.all().str.len_bytes().sum()).row(0)
    answer = {"rows": table.height, "bytes": [int(n or 0) for n in found]}
    if what == "check":
        answer["sums"] = [checksum(column) for column in table]
    print(json.dumps(answer))


main(*sys.argv[1:])
