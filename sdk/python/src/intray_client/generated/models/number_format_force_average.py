from typing import Literal

NumberFormatForceAverage = Literal["billion", "million", "thousand", "trillion"]

NUMBER_FORMAT_FORCE_AVERAGE_VALUES: set[NumberFormatForceAverage] = {
    "billion",
    "million",
    "thousand",
    "trillion",
}


def check_number_format_force_average(value: str) -> NumberFormatForceAverage:
    if value in NUMBER_FORMAT_FORCE_AVERAGE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NUMBER_FORMAT_FORCE_AVERAGE_VALUES!r}")
