from typing import Literal, cast

RegexMatchValidatorLevel = Literal["error", "info", "warning"]


def check_regex_match_validator_level(value: str) -> RegexMatchValidatorLevel:
    # Later versions of the server can add values.
    return cast(RegexMatchValidatorLevel, value)
