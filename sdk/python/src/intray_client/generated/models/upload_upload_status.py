from typing import Literal

UploadUploadStatus = Literal["FAILED", "PENDING_UPLOAD", "PROCESSED", "PROCESSING"]

UPLOAD_UPLOAD_STATUS_VALUES: set[UploadUploadStatus] = {
    "FAILED",
    "PENDING_UPLOAD",
    "PROCESSED",
    "PROCESSING",
}


def check_upload_upload_status(value: str) -> UploadUploadStatus:
    if value in UPLOAD_UPLOAD_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {UPLOAD_UPLOAD_STATUS_VALUES!r}")
