from typing import Literal

Level = Literal["error", "info", "warning"]

LEVEL_VALUES: set[Level] = {
    "error",
    "info",
    "warning",
}


def check_level(value: str) -> Level:
    if value in LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LEVEL_VALUES!r}")
