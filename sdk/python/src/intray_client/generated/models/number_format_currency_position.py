from typing import Literal, cast

NumberFormatCurrencyPosition = Literal["infix", "postfix", "prefix"]


def check_number_format_currency_position(value: str) -> NumberFormatCurrencyPosition:
    # Later versions of the server can add values.
    return cast(NumberFormatCurrencyPosition, value)
