from typing import Literal

AlphabeticalValidatorValidate = Literal["alphabetical"]

ALPHABETICAL_VALIDATOR_VALIDATE_VALUES: set[AlphabeticalValidatorValidate] = {
    "alphabetical",
}


def check_alphabetical_validator_validate(value: str) -> AlphabeticalValidatorValidate:
    if value in ALPHABETICAL_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ALPHABETICAL_VALIDATOR_VALIDATE_VALUES!r}")
