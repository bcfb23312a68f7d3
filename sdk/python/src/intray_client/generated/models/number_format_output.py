from typing import Literal

NumberFormatOutput = Literal["byte", "currency", "number", "ordinal", "percent", "time"]

NUMBER_FORMAT_OUTPUT_VALUES: set[NumberFormatOutput] = {
    "byte",
    "currency",
    "number",
    "ordinal",
    "percent",
    "time",
}


def check_number_format_output(value: str) -> NumberFormatOutput:
    if value in NUMBER_FORMAT_OUTPUT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NUMBER_FORMAT_OUTPUT_VALUES!r}")
