from typing import Literal, cast

NumberFormatBase = Literal["binary", "decimal", "general"]


def check_number_format_base(value: str) -> NumberFormatBase:
    # Later versions of the server can add values.
    return cast(NumberFormatBase, value)
