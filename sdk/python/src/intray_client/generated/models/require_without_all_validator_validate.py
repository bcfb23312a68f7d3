from typing import Literal

RequireWithoutAllValidatorValidate = Literal["require_without_all"]

REQUIRE_WITHOUT_ALL_VALIDATOR_VALIDATE_VALUES: set[RequireWithoutAllValidatorValidate] = {
    "require_without_all",
}


def check_require_without_all_validator_validate(value: str) -> RequireWithoutAllValidatorValidate:
    if value in REQUIRE_WITHOUT_ALL_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_ALL_VALIDATOR_VALIDATE_VALUES!r}")
