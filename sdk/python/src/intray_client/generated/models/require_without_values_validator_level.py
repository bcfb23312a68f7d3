from typing import Literal, cast

RequireWithoutValuesValidatorLevel = Literal["error", "info", "warning"]


def check_require_without_values_validator_level(value: str) -> RequireWithoutValuesValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithoutValuesValidatorLevel, value)
