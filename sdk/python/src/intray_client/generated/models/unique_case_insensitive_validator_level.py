from typing import Literal, cast

UniqueCaseInsensitiveValidatorLevel = Literal["error", "info", "warning"]


def check_unique_case_insensitive_validator_level(value: str) -> UniqueCaseInsensitiveValidatorLevel:
    # Later versions of the server can add values.
    return cast(UniqueCaseInsensitiveValidatorLevel, value)
