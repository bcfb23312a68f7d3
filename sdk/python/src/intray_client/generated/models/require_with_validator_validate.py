from typing import Literal

RequireWithValidatorValidate = Literal["require_with"]

REQUIRE_WITH_VALIDATOR_VALIDATE_VALUES: set[RequireWithValidatorValidate] = {
    "require_with",
}


def check_require_with_validator_validate(value: str) -> RequireWithValidatorValidate:
    if value in REQUIRE_WITH_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_VALIDATOR_VALIDATE_VALUES!r}")
