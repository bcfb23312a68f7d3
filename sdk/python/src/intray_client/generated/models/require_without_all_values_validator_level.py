from typing import Literal

RequireWithoutAllValuesValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITHOUT_ALL_VALUES_VALIDATOR_LEVEL_VALUES: set[RequireWithoutAllValuesValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_without_all_values_validator_level(value: str) -> RequireWithoutAllValuesValidatorLevel:
    if value in REQUIRE_WITHOUT_ALL_VALUES_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_ALL_VALUES_VALIDATOR_LEVEL_VALUES!r}"
    )
