from typing import Literal, cast

NumberFormatForceAverage = Literal["billion", "million", "thousand", "trillion"]


def check_number_format_force_average(value: str) -> NumberFormatForceAverage:
    # Later versions of the server can add values.
    return cast(NumberFormatForceAverage, value)
