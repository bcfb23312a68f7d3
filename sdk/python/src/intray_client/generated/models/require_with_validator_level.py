from typing import Literal

RequireWithValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITH_VALIDATOR_LEVEL_VALUES: set[RequireWithValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_with_validator_level(value: str) -> RequireWithValidatorLevel:
    if value in REQUIRE_WITH_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITH_VALIDATOR_LEVEL_VALUES!r}")
