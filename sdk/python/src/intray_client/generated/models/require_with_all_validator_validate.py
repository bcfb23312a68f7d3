from typing import Literal, cast

RequireWithAllValidatorValidate = Literal["require_with_all"]


def check_require_with_all_validator_validate(value: str) -> RequireWithAllValidatorValidate:
    # The value distinguishes types.
    if value != "require_with_all":
        raise TypeError(f"Unexpected value {value!r}. Expected require_with_all.")
    return cast(RequireWithAllValidatorValidate, value)
