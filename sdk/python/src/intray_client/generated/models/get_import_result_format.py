from typing import Literal, cast

GetImportResultFormat = Literal["csv", "json", "ndjson", "parquet", "xlsx"]


def check_get_import_result_format(value: str) -> GetImportResultFormat:
    # Later versions of the server can add values.
    return cast(GetImportResultFormat, value)
