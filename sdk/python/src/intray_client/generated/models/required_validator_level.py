from typing import Literal, cast

RequiredValidatorLevel = Literal["error", "info", "warning"]


def check_required_validator_level(value: str) -> RequiredValidatorLevel:
    # Later versions of the server can add values.
    return cast(RequiredValidatorLevel, value)
