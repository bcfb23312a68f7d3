from typing import Literal

RequireWithAllValuesValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITH_ALL_VALUES_VALIDATOR_LEVEL_VALUES: set[RequireWithAllValuesValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_with_all_values_validator_level(value: str) -> RequireWithAllValuesValidatorLevel:
    if value in REQUIRE_WITH_ALL_VALUES_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_ALL_VALUES_VALIDATOR_LEVEL_VALUES!r}")
