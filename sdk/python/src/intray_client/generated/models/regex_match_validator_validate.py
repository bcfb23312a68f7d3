from typing import Literal, cast

RegexMatchValidatorValidate = Literal["regex_match"]


def check_regex_match_validator_validate(value: str) -> RegexMatchValidatorValidate:
    # The value distinguishes types.
    if value != "regex_match":
        raise TypeError(f"Unexpected value {value!r}. Expected regex_match.")
    return cast(RegexMatchValidatorValidate, value)
