from typing import Literal

RequireWithoutAllValuesValidatorValidate = Literal["require_without_all_values"]

REQUIRE_WITHOUT_ALL_VALUES_VALIDATOR_VALIDATE_VALUES: set[RequireWithoutAllValuesValidatorValidate] = {
    "require_without_all_values",
}


def check_require_without_all_values_validator_validate(value: str) -> RequireWithoutAllValuesValidatorValidate:
    if value in REQUIRE_WITHOUT_ALL_VALUES_VALIDATOR_VALIDATE_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_ALL_VALUES_VALIDATOR_VALIDATE_VALUES!r}"
    )
