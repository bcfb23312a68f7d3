from typing import Literal

UniqueWithValidatorValidate = Literal["unique_with"]

UNIQUE_WITH_VALIDATOR_VALIDATE_VALUES: set[UniqueWithValidatorValidate] = {
    "unique_with",
}


def check_unique_with_validator_validate(value: str) -> UniqueWithValidatorValidate:
    if value in UNIQUE_WITH_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {UNIQUE_WITH_VALIDATOR_VALIDATE_VALUES!r}")
