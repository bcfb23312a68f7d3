from typing import Literal, cast

UploadUploadStatus = Literal["FAILED", "PENDING_UPLOAD", "PROCESSED", "PROCESSING"]


def check_upload_upload_status(value: str) -> UploadUploadStatus:
    # Later versions of the server can add values.
    return cast(UploadUploadStatus, value)
