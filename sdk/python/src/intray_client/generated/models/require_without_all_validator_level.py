from typing import Literal

RequireWithoutAllValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITHOUT_ALL_VALIDATOR_LEVEL_VALUES: set[RequireWithoutAllValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_without_all_validator_level(value: str) -> RequireWithoutAllValidatorLevel:
    if value in REQUIRE_WITHOUT_ALL_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_ALL_VALIDATOR_LEVEL_VALUES!r}")
