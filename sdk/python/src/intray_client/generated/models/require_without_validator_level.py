from typing import Literal

RequireWithoutValidatorLevel = Literal["error", "info", "warning"]

REQUIRE_WITHOUT_VALIDATOR_LEVEL_VALUES: set[RequireWithoutValidatorLevel] = {
    "error",
    "info",
    "warning",
}


def check_require_without_validator_level(value: str) -> RequireWithoutValidatorLevel:
    if value in REQUIRE_WITHOUT_VALIDATOR_LEVEL_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {REQUIRE_WITHOUT_VALIDATOR_LEVEL_VALUES!r}")
