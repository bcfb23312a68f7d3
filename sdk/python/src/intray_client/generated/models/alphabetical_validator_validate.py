from typing import Literal, cast

AlphabeticalValidatorValidate = Literal["alphabetical"]


def check_alphabetical_validator_validate(value: str) -> AlphabeticalValidatorValidate:
    # The value distinguishes types.
    if value != "alphabetical":
        raise TypeError(f"Unexpected value {value!r}. Expected alphabetical.")
    return cast(AlphabeticalValidatorValidate, value)
