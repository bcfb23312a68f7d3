from typing import Literal

ZipTypeOptionsFormat = Literal["5-digit", "9-digit"]

ZIP_TYPE_OPTIONS_FORMAT_VALUES: set[ZipTypeOptionsFormat] = {
    "5-digit",
    "9-digit",
}


def check_zip_type_options_format(value: str) -> ZipTypeOptionsFormat:
    if value in ZIP_TYPE_OPTIONS_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ZIP_TYPE_OPTIONS_FORMAT_VALUES!r}")
