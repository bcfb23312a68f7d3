from typing import Literal

RequiredValidatorValidate = Literal["required"]

REQUIRED_VALIDATOR_VALIDATE_VALUES: set[RequiredValidatorValidate] = {
    "required",
}


def check_required_validator_validate(value: str) -> RequiredValidatorValidate:
    if value in REQUIRED_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRED_VALIDATOR_VALIDATE_VALUES!r}")
