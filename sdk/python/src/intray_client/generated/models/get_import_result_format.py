from typing import Literal

GetImportResultFormat = Literal["csv", "json", "ndjson", "parquet", "xlsx"]

GET_IMPORT_RESULT_FORMAT_VALUES: set[GetImportResultFormat] = {
    "csv",
    "json",
    "ndjson",
    "parquet",
    "xlsx",
}


def check_get_import_result_format(value: str) -> GetImportResultFormat:
    if value in GET_IMPORT_RESULT_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {GET_IMPORT_RESULT_FORMAT_VALUES!r}")
