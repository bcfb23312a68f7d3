from typing import Literal

RequireWithValuesValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITH_VALUES_VALIDATOR_LEVEL_VALUES: set[RequireWithValuesValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_with_values_validator_level(value: str) -> RequireWithValuesValidatorLevel:
    if value in REQUIRE_WITH_VALUES_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_VALUES_VALIDATOR_LEVEL_VALUES!r}")
