from typing import Literal

RegexExcludeValidatorValidate = Literal["regex_exclude"]

REGEX_EXCLUDE_VALIDATOR_VALIDATE_VALUES: set[RegexExcludeValidatorValidate] = {
    "regex_exclude",
}


def check_regex_exclude_validator_validate(value: str) -> RegexExcludeValidatorValidate:
    if value in REGEX_EXCLUDE_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REGEX_EXCLUDE_VALIDATOR_VALIDATE_VALUES!r}")
