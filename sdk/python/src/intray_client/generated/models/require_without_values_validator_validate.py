from typing import Literal, cast

RequireWithoutValuesValidatorValidate = Literal["require_without_values"]


def check_require_without_values_validator_validate(value: str) -> RequireWithoutValuesValidatorValidate:
    # The value distinguishes types.
    if value != "require_without_values":
        raise TypeError(f"Unexpected value {value!r}. Expected require_without_values.")
    return cast(RequireWithoutValuesValidatorValidate, value)
