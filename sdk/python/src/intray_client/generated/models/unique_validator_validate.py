from typing import Literal

UniqueValidatorValidate = Literal["unique"]

UNIQUE_VALIDATOR_VALIDATE_VALUES: set[UniqueValidatorValidate] = {
    "unique",
}


def check_unique_validator_validate(value: str) -> UniqueValidatorValidate:
    if value in UNIQUE_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {UNIQUE_VALIDATOR_VALIDATE_VALUES!r}")
