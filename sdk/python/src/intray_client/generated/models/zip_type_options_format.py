from typing import Literal, cast

ZipTypeOptionsFormat = Literal["5-digit", "9-digit"]


def check_zip_type_options_format(value: str) -> ZipTypeOptionsFormat:
    # Later versions of the server can add values.
    return cast(ZipTypeOptionsFormat, value)
