from typing import Literal

UniqueWithValidatorLevel = Literal["error", "info", "warning"]

UNIQUE_WITH_VALIDATOR_LEVEL_VALUES: set[UniqueWithValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_unique_with_validator_level(value: str) -> UniqueWithValidatorLevel:
    if value in UNIQUE_WITH_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {UNIQUE_WITH_VALIDATOR_LEVEL_VALUES!r}")
