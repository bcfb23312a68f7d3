from typing import Literal

LengthValidatorValidate = Literal["length"]

LENGTH_VALIDATOR_VALIDATE_VALUES: set[LengthValidatorValidate] = {
    "length",
}


def check_length_validator_validate(value: str) -> LengthValidatorValidate:
    if value in LENGTH_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LENGTH_VALIDATOR_VALIDATE_VALUES!r}")
