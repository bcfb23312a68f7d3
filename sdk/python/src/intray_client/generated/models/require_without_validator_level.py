from typing import Literal, cast

RequireWithoutValidatorLevel = Literal["error", "info", "warning"]


def check_require_without_validator_level(value: str) -> RequireWithoutValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithoutValidatorLevel, value)
