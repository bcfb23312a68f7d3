from typing import Literal

NumberFormatCurrencyPosition = Literal["infix", "postfix", "prefix"]

NUMBER_FORMAT_CURRENCY_POSITION_VALUES: set[NumberFormatCurrencyPosition] = {
    "infix",
    "postfix",
    "prefix",
}


def check_number_format_currency_position(value: str) -> NumberFormatCurrencyPosition:
    if value in NUMBER_FORMAT_CURRENCY_POSITION_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NUMBER_FORMAT_CURRENCY_POSITION_VALUES!r}")
