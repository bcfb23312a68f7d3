from typing import Literal, cast

ImportStatus = Literal["AWAITING_UPLOAD", "FAILED", "NEEDS_REVIEW", "PENDING", "RUNNING", "SUCCESSFUL"]


def check_import_status(value: str) -> ImportStatus:
    # Later versions of the server can add values.
    return cast(ImportStatus, value)
