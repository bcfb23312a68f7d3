from typing import Literal

RequireWithAllValuesValidatorValidate = Literal["require_with_all_values"]

REQUIRE_WITH_ALL_VALUES_VALIDATOR_VALIDATE_VALUES: set[RequireWithAllValuesValidatorValidate] = {
    "require_with_all_values",
}


def check_require_with_all_values_validator_validate(value: str) -> RequireWithAllValuesValidatorValidate:
    if value in REQUIRE_WITH_ALL_VALUES_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_ALL_VALUES_VALIDATOR_VALIDATE_VALUES!r}"
    )
