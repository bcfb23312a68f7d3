from typing import Literal, cast

UniqueValidatorValidate = Literal["unique"]


def check_unique_validator_validate(value: str) -> UniqueValidatorValidate:
    # The value distinguishes types.
    if value != "unique":
        raise TypeError(f"Unexpected value {value!r}. Expected unique.")
    return cast(UniqueValidatorValidate, value)
