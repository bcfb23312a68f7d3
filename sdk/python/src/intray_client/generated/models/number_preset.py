from typing import Literal

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

NUMBER_PRESET_VALUES: set[NumberPreset] = {
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
}


def check_number_preset(value: str) -> NumberPreset:
    if value in NUMBER_PRESET_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NUMBER_PRESET_VALUES!r}")
