from typing import Literal, cast

GetUploadResultFormat = Literal["csv", "json", "ndjson", "parquet", "xlsx"]


def check_get_upload_result_format(value: str) -> GetUploadResultFormat:
    # Later versions of the server can add values.
    return cast(GetUploadResultFormat, value)
