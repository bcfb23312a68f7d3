from typing import Literal

UniqueCaseInsensitiveValidatorValidate = Literal["unique_case_insensitive"]

UNIQUE_CASE_INSENSITIVE_VALIDATOR_VALIDATE_VALUES: set[UniqueCaseInsensitiveValidatorValidate] = {
    "unique_case_insensitive",
}


def check_unique_case_insensitive_validator_validate(value: str) -> UniqueCaseInsensitiveValidatorValidate:
    if value in UNIQUE_CASE_INSENSITIVE_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {UNIQUE_CASE_INSENSITIVE_VALIDATOR_VALIDATE_VALUES!r}"
    )
