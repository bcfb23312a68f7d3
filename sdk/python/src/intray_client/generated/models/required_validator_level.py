from typing import Literal

RequiredValidatorLevel = Literal["error", "info", "warning"]

REQUIRED_VALIDATOR_LEVEL_VALUES: set[RequiredValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_required_validator_level(value: str) -> RequiredValidatorLevel:
    if value in REQUIRED_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRED_VALIDATOR_LEVEL_VALUES!r}")
