from typing import Literal

CountryTypeOptionsFormat = Literal["2-letter", "3-letter"]

COUNTRY_TYPE_OPTIONS_FORMAT_VALUES: set[CountryTypeOptionsFormat] = {
    "2-letter",
    "3-letter",
}


def check_country_type_options_format(value: str) -> CountryTypeOptionsFormat:
    if value in COUNTRY_TYPE_OPTIONS_FORMAT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {COUNTRY_TYPE_OPTIONS_FORMAT_VALUES!r}")
