from typing import Literal

NumberFormatNegative = Literal["parenthesis", "sign"]

NUMBER_FORMAT_NEGATIVE_VALUES: set[NumberFormatNegative] = {
    "parenthesis",
    "sign",
}


def check_number_format_negative(value: str) -> NumberFormatNegative:
    if value in NUMBER_FORMAT_NEGATIVE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NUMBER_FORMAT_NEGATIVE_VALUES!r}")
