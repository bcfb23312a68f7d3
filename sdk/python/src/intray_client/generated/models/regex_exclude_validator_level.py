from typing import Literal

RegexExcludeValidatorLevel = Literal["error", "info", "warning"]

REGEX_EXCLUDE_VALIDATOR_LEVEL_VALUES: set[RegexExcludeValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_regex_exclude_validator_level(value: str) -> RegexExcludeValidatorLevel:
    if value in REGEX_EXCLUDE_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REGEX_EXCLUDE_VALIDATOR_LEVEL_VALUES!r}")
