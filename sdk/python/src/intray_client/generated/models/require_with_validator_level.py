from typing import Literal, cast

RequireWithValidatorLevel = Literal["error", "info", "warning"]


def check_require_with_validator_level(value: str) -> RequireWithValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithValidatorLevel, value)
