from typing import Literal

RegexMatchValidatorValidate = Literal["regex_match"]

REGEX_MATCH_VALIDATOR_VALIDATE_VALUES: set[RegexMatchValidatorValidate] = {
    "regex_match",
}


def check_regex_match_validator_validate(value: str) -> RegexMatchValidatorValidate:
    if value in REGEX_MATCH_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REGEX_MATCH_VALIDATOR_VALIDATE_VALUES!r}")
