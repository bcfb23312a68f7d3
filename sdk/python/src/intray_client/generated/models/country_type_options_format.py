from typing import Literal, cast

CountryTypeOptionsFormat = Literal["2-letter", "3-letter"]


def check_country_type_options_format(value: str) -> CountryTypeOptionsFormat:
    # Later versions of the server can add values.
    return cast(CountryTypeOptionsFormat, value)
