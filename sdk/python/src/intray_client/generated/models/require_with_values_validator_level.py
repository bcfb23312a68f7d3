from typing import Literal, cast

RequireWithValuesValidatorLevel = Literal["error", "info", "warning"]


def check_require_with_values_validator_level(value: str) -> RequireWithValuesValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithValuesValidatorLevel, value)
