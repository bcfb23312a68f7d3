from typing import Literal

RequireWithoutValidatorValidate = Literal["require_without"]

REQUIRE_WITHOUT_VALIDATOR_VALIDATE_VALUES: set[RequireWithoutValidatorValidate] = {
    "require_without",
}


def check_require_without_validator_validate(value: str) -> RequireWithoutValidatorValidate:
    if value in REQUIRE_WITHOUT_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_VALIDATOR_VALIDATE_VALUES!r}")
