from typing import Literal, cast

NumberPreset = Literal[
    "decimal_0",
    "decimal_1",
    "decimal_2",
    "decimal_3",
    "decimal_4",
    "default",
    "eur",
    "gbp",
    "integer",
    "percent",
    "percent_0",
    "percent_1",
    "percent_2",
    "percent_3",
    "percent_4",
    "plain",
    "usd",
    "usd_accounting",
]


def check_number_preset(value: str) -> NumberPreset:
    # Later versions of the server can add values.
    return cast(NumberPreset, value)
