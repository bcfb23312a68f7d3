from typing import Literal, cast

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


def check_notice_type(value: str) -> NoticeType:
    # Later versions of the server can add values.
    return cast(NoticeType, value)
