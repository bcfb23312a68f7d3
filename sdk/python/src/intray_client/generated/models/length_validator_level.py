from typing import Literal

LengthValidatorLevel = Literal["error", "info", "warning"]

LENGTH_VALIDATOR_LEVEL_VALUES: set[LengthValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_length_validator_level(value: str) -> LengthValidatorLevel:
    if value in LENGTH_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LENGTH_VALIDATOR_LEVEL_VALUES!r}")
