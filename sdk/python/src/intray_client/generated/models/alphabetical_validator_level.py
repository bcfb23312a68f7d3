from typing import Literal

AlphabeticalValidatorLevel = Literal["error", "info", "warning"]

ALPHABETICAL_VALIDATOR_LEVEL_VALUES: set[AlphabeticalValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_alphabetical_validator_level(value: str) -> AlphabeticalValidatorLevel:
    if value in ALPHABETICAL_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ALPHABETICAL_VALIDATOR_LEVEL_VALUES!r}")
