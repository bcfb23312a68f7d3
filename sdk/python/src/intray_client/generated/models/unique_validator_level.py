from typing import Literal, cast

UniqueValidatorLevel = Literal["error", "info", "warning"]


def check_unique_validator_level(value: str) -> UniqueValidatorLevel:
    # Later versions of the server can add values.
    return cast(UniqueValidatorLevel, value)
