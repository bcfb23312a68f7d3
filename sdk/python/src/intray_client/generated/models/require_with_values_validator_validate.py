from typing import Literal

RequireWithValuesValidatorValidate = Literal["require_with_values"]

REQUIRE_WITH_VALUES_VALIDATOR_VALIDATE_VALUES: set[RequireWithValuesValidatorValidate] = {
    "require_with_values",
}


def check_require_with_values_validator_validate(value: str) -> RequireWithValuesValidatorValidate:
    if value in REQUIRE_WITH_VALUES_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_VALUES_VALIDATOR_VALIDATE_VALUES!r}")
