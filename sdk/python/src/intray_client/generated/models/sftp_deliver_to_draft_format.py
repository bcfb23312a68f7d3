from typing import Literal

SftpDeliverToDraftFormat = Literal["csv", "json", "ndjson", "parquet", "xlsx"]

SFTP_DELIVER_TO_DRAFT_FORMAT_VALUES: set[SftpDeliverToDraftFormat] = {
    "csv",
    "json",
    "ndjson",
    "parquet",
    "xlsx",
}


def check_sftp_deliver_to_draft_format(value: str) -> SftpDeliverToDraftFormat:
    if value in SFTP_DELIVER_TO_DRAFT_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_DELIVER_TO_DRAFT_FORMAT_VALUES!r}")
