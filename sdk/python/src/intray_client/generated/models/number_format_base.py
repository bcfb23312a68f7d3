from typing import Literal

NumberFormatBase = Literal["binary", "decimal", "general"]

NUMBER_FORMAT_BASE_VALUES: set[NumberFormatBase] = {
    "binary",
    "decimal",
    "general",
}


def check_number_format_base(value: str) -> NumberFormatBase:
    if value in NUMBER_FORMAT_BASE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {NUMBER_FORMAT_BASE_VALUES!r}")
