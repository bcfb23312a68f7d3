from typing import Literal

UniqueValidatorLevel = Literal["error", "info", "warning"]

UNIQUE_VALIDATOR_LEVEL_VALUES: set[UniqueValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_unique_validator_level(value: str) -> UniqueValidatorLevel:
    if value in UNIQUE_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {UNIQUE_VALIDATOR_LEVEL_VALUES!r}")
