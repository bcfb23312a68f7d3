from typing import Literal, cast

RegexExcludeValidatorValidate = Literal["regex_exclude"]


def check_regex_exclude_validator_validate(value: str) -> RegexExcludeValidatorValidate:
    # The value distinguishes types.
    if value != "regex_exclude":
        raise TypeError(f"Unexpected value {value!r}. Expected regex_exclude.")
    return cast(RegexExcludeValidatorValidate, value)
