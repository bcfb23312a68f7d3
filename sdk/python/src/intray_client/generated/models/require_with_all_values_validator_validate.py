from typing import Literal, cast

RequireWithAllValuesValidatorValidate = Literal["require_with_all_values"]


def check_require_with_all_values_validator_validate(value: str) -> RequireWithAllValuesValidatorValidate:
    # The value distinguishes types.
    if value != "require_with_all_values":
        raise TypeError(f"Unexpected value {value!r}. Expected require_with_all_values.")
    return cast(RequireWithAllValuesValidatorValidate, value)
