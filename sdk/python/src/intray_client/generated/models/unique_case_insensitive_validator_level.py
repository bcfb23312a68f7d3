from typing import Literal

UniqueCaseInsensitiveValidatorLevel = Literal["error", "info", "warning"]

UNIQUE_CASE_INSENSITIVE_VALIDATOR_LEVEL_VALUES: set[UniqueCaseInsensitiveValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_unique_case_insensitive_validator_level(value: str) -> UniqueCaseInsensitiveValidatorLevel:
    if value in UNIQUE_CASE_INSENSITIVE_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {UNIQUE_CASE_INSENSITIVE_VALIDATOR_LEVEL_VALUES!r}")
