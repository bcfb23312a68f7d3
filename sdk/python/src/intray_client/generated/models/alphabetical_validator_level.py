from typing import Literal, cast

AlphabeticalValidatorLevel = Literal["error", "info", "warning"]


def check_alphabetical_validator_level(value: str) -> AlphabeticalValidatorLevel:
    # Later versions of the server can add values.
    return cast(AlphabeticalValidatorLevel, value)
