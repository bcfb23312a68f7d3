from typing import Literal, cast

RequireWithValidatorValidate = Literal["require_with"]


def check_require_with_validator_validate(value: str) -> RequireWithValidatorValidate:
    # The value distinguishes types.
    if value != "require_with":
        raise TypeError(f"Unexpected value {value!r}. Expected require_with.")
    return cast(RequireWithValidatorValidate, value)
