from typing import Literal, cast

RequireWithoutAllValuesValidatorValidate = Literal["require_without_all_values"]


def check_require_without_all_values_validator_validate(value: str) -> RequireWithoutAllValuesValidatorValidate:
    # The value distinguishes types.
    if value != "require_without_all_values":
        raise TypeError(f"Unexpected value {value!r}. Expected require_without_all_values.")
    return cast(RequireWithoutAllValuesValidatorValidate, value)
