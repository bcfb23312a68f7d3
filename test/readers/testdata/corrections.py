"""Prints what openpyxl reads of a workbook for corrections: corrections.py FILE."""
import json
import sys

import openpyxl

book = openpyxl.load_workbook(sys.argv[1])
sheet = book.worksheets[0]
cells = {}
for row in sheet.iter_rows():
    for cell in row:
        fill = cell.fill.fgColor.rgb if cell.fill.fill_type == "solid" else ""
        comment = cell.comment.text if cell.comment else ""
        if fill or comment:
            cells[cell.coordinate] = [str(cell.value or ""), fill, comment]
print(json.dumps({
    "Cells": cells,
    "Lists": {str(v.sqref): v.formula1 for v in sheet.data_validations.dataValidation},
    "Widths": {k: v.width for k, v in sheet.column_dimensions.items()},
    "Sheets": [[s.title, s.sheet_state] for s in book.worksheets],
    "Options": [[c.value for c in row] for row in book.worksheets[-1].iter_rows(min_row=2)],
}))
