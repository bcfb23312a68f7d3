from typing import Literal, cast

NumberFormatNegative = Literal["parenthesis", "sign"]


def check_number_format_negative(value: str) -> NumberFormatNegative:
    # Later versions of the server can add values.
    return cast(NumberFormatNegative, value)
