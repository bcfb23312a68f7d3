from typing import Literal, cast

RequireWithValuesValidatorValidate = Literal["require_with_values"]


def check_require_with_values_validator_validate(value: str) -> RequireWithValuesValidatorValidate:
    # The value distinguishes types.
    if value != "require_with_values":
        raise TypeError(f"Unexpected value {value!r}. Expected require_with_values.")
    return cast(RequireWithValuesValidatorValidate, value)
