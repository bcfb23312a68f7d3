from typing import Literal, cast

RegexExcludeValidatorLevel = Literal["error", "info", "warning"]


def check_regex_exclude_validator_level(value: str) -> RegexExcludeValidatorLevel:
    # Later versions of the server can add values.
    return cast(RegexExcludeValidatorLevel, value)
