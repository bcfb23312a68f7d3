from typing import Literal

NoticeType = Literal[
    "ALL_ROWS_REMOVED",
    "AMBIGUOUS_COLUMN",
    "CANCELLED_BY_HOOK",
    "COLUMN_CONFLICT",
    "EMPTY_FILE",
    "ENCODING_UNCERTAIN",
    "HEADER_ROW_UNCERTAIN",
    "HOOK_FAILED",
    "MAX_RECORDS",
    "NO_ROWS",
    "OTHER_TABLES",
    "REPAIRED_ROW",
    "SHEET_UNCERTAIN",
    "TOO_LARGE",
    "TRUNCATED",
    "UNMAPPED_FIELDS",
    "UNREADABLE_FILE",
    "VALIDATION",
    "VALUE_MAPPED",
]

NOTICE_TYPE_VALUES: set[NoticeType] = {
    "ALL_ROWS_REMOVED",
    "AMBIGUOUS_COLUMN",
    "CANCELLED_BY_HOOK",
    "COLUMN_CONFLICT",
    "EMPTY_FILE",
    "ENCODING_UNCERTAIN",
    "HEADER_ROW_UNCERTAIN",
    "HOOK_FAILED",
    "MAX_RECORDS",
    "NO_ROWS",
    "OTHER_TABLES",
    "REPAIRED_ROW",
    "SHEET_UNCERTAIN",
    "TOO_LARGE",
    "TRUNCATED",
    "UNMAPPED_FIELDS",
    "UNREADABLE_FILE",
    "VALIDATION",
    "VALUE_MAPPED",
}


def check_notice_type(value: str) -> NoticeType:
    if value in NOTICE_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NOTICE_TYPE_VALUES!r}")
