from typing import Literal, cast

LengthValidatorLevel = Literal["error", "info", "warning"]


def check_length_validator_level(value: str) -> LengthValidatorLevel:
    # Later versions of the server can add values.
    return cast(LengthValidatorLevel, value)
