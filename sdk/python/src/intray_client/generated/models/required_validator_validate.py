from typing import Literal, cast

RequiredValidatorValidate = Literal["required"]


def check_required_validator_validate(value: str) -> RequiredValidatorValidate:
    # The value distinguishes types.
    if value != "required":
        raise TypeError(f"Unexpected value {value!r}. Expected required.")
    return cast(RequiredValidatorValidate, value)
