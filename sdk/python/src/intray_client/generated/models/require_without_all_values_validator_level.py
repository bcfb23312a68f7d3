from typing import Literal, cast

RequireWithoutAllValuesValidatorLevel = Literal["error", "info", "warning"]


def check_require_without_all_values_validator_level(value: str) -> RequireWithoutAllValuesValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithoutAllValuesValidatorLevel, value)
