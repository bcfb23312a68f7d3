from typing import Literal

GetUploadResultFormat = Literal["csv", "json", "ndjson", "parquet", "xlsx"]

GET_UPLOAD_RESULT_FORMAT_VALUES: set[GetUploadResultFormat] = {
    "csv",
    "json",
    "ndjson",
    "parquet",
    "xlsx",
}


def check_get_upload_result_format(value: str) -> GetUploadResultFormat:
    if value in GET_UPLOAD_RESULT_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {GET_UPLOAD_RESULT_FORMAT_VALUES!r}")
