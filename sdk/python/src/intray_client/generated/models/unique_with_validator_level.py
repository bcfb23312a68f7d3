from typing import Literal, cast

UniqueWithValidatorLevel = Literal["error", "info", "warning"]


def check_unique_with_validator_level(value: str) -> UniqueWithValidatorLevel:
    # Later versions of the server can add values.
    return cast(UniqueWithValidatorLevel, value)
