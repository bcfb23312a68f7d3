from typing import Literal, cast

RequireWithAllValidatorLevel = Literal["error", "info", "warning"]


def check_require_with_all_validator_level(value: str) -> RequireWithAllValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithAllValidatorLevel, value)
