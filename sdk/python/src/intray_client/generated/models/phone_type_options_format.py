from typing import Literal

PhoneTypeOptionsFormat = Literal["both", "international", "national"]

PHONE_TYPE_OPTIONS_FORMAT_VALUES: set[PhoneTypeOptionsFormat] = {
    "both",
    "international",
    "national",
}


def check_phone_type_options_format(value: str) -> PhoneTypeOptionsFormat:
    if value in PHONE_TYPE_OPTIONS_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {PHONE_TYPE_OPTIONS_FORMAT_VALUES!r}")
