from typing import Literal

RegexMatchValidatorLevel = Literal["error", "info", "warning"]

REGEX_MATCH_VALIDATOR_LEVEL_VALUES: set[RegexMatchValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_regex_match_validator_level(value: str) -> RegexMatchValidatorLevel:
    if value in REGEX_MATCH_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REGEX_MATCH_VALIDATOR_LEVEL_VALUES!r}")
