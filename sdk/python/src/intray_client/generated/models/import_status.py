from typing import Literal

ImportStatus = Literal["AWAITING_UPLOAD", "FAILED", "NEEDS_REVIEW", "PENDING", "RUNNING", "SUCCESSFUL"]

IMPORT_STATUS_VALUES: set[ImportStatus] = {
    "AWAITING_UPLOAD",
    "FAILED",
    "NEEDS_REVIEW",
    "PENDING",
    "RUNNING",
    "SUCCESSFUL",
}


def check_import_status(value: str) -> ImportStatus:
    if value in IMPORT_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {IMPORT_STATUS_VALUES!r}")
