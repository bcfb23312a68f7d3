from typing import Literal, cast

RequireWithoutAllValidatorLevel = Literal["error", "info", "warning"]


def check_require_without_all_validator_level(value: str) -> RequireWithoutAllValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithoutAllValidatorLevel, value)
