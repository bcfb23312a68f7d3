from typing import Literal, cast

RequireWithoutValidatorValidate = Literal["require_without"]


def check_require_without_validator_validate(value: str) -> RequireWithoutValidatorValidate:
    # The value distinguishes types.
    if value != "require_without":
        raise TypeError(f"Unexpected value {value!r}. Expected require_without.")
    return cast(RequireWithoutValidatorValidate, value)
