from typing import Literal

RequireWithoutValuesValidatorValidate = Literal["require_without_values"]

REQUIRE_WITHOUT_VALUES_VALIDATOR_VALIDATE_VALUES: set[RequireWithoutValuesValidatorValidate] = {
    "require_without_values",
}


def check_require_without_values_validator_validate(value: str) -> RequireWithoutValuesValidatorValidate:
    if value in REQUIRE_WITHOUT_VALUES_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_VALUES_VALIDATOR_VALIDATE_VALUES!r}")
