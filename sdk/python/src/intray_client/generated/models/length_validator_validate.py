from typing import Literal, cast

LengthValidatorValidate = Literal["length"]


def check_length_validator_validate(value: str) -> LengthValidatorValidate:
    # The value distinguishes types.
    if value != "length":
        raise TypeError(f"Unexpected value {value!r}. Expected length.")
    return cast(LengthValidatorValidate, value)
