from typing import Literal

RequireWithoutValuesValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITHOUT_VALUES_VALIDATOR_LEVEL_VALUES: set[RequireWithoutValuesValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_without_values_validator_level(value: str) -> RequireWithoutValuesValidatorLevel:
    if value in REQUIRE_WITHOUT_VALUES_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_VALUES_VALIDATOR_LEVEL_VALUES!r}")
