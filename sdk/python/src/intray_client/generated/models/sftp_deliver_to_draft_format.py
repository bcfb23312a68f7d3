from typing import Literal, cast

SftpDeliverToDraftFormat = Literal["csv", "json", "ndjson", "parquet", "xlsx"]


def check_sftp_deliver_to_draft_format(value: str) -> SftpDeliverToDraftFormat:
    # Later versions of the server can add values.
    return cast(SftpDeliverToDraftFormat, value)
