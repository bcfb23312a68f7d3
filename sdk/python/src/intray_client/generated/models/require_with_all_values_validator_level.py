from typing import Literal, cast

RequireWithAllValuesValidatorLevel = Literal["error", "info", "warning"]


def check_require_with_all_values_validator_level(value: str) -> RequireWithAllValuesValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequireWithAllValuesValidatorLevel, value)
