from typing import Literal, cast

UniqueWithValidatorValidate = Literal["unique_with"]


def check_unique_with_validator_validate(value: str) -> UniqueWithValidatorValidate:
    # The value distinguishes types.
    if value != "unique_with":
        raise TypeError(f"Unexpected value {value!r}. Expected unique_with.")
    return cast(UniqueWithValidatorValidate, value)
