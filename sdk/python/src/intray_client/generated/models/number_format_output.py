from typing import Literal, cast

NumberFormatOutput = Literal["byte", "currency", "number", "ordinal", "percent", "time"]


def check_number_format_output(value: str) -> NumberFormatOutput:
    # Later versions of the server can add values.
    return cast(NumberFormatOutput, value)
