from typing import Literal, cast

RequireWithoutAllValidatorValidate = Literal["require_without_all"]


def check_require_without_all_validator_validate(value: str) -> RequireWithoutAllValidatorValidate:
    # The value distinguishes types.
    if value != "require_without_all":
        raise TypeError(f"Unexpected value {value!r}. Expected require_without_all.")
    return cast(RequireWithoutAllValidatorValidate, value)
