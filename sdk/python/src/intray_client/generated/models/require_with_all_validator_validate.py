from typing import Literal

RequireWithAllValidatorValidate = Literal["require_with_all"]

REQUIRE_WITH_ALL_VALIDATOR_VALIDATE_VALUES: set[RequireWithAllValidatorValidate] = {
    "require_with_all",
}


def check_require_with_all_validator_validate(value: str) -> RequireWithAllValidatorValidate:
    if value in REQUIRE_WITH_ALL_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_ALL_VALIDATOR_VALIDATE_VALUES!r}")
