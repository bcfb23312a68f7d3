from typing import Literal

RequireWithAllValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITH_ALL_VALIDATOR_LEVEL_VALUES: set[RequireWithAllValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_with_all_validator_level(value: str) -> RequireWithAllValidatorLevel:
    if value in REQUIRE_WITH_ALL_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_ALL_VALIDATOR_LEVEL_VALUES!r}")
