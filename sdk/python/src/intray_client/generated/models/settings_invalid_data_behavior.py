from typing import Literal

SettingsInvalidDataBehavior = Literal[
    "BLOCK_SUBMIT", "INCLUDE_INVALID_ROWS", "INCLUDE_INVALID_ROWS_AND_VALUES", "REMOVE_INVALID_ROWS"
]

SETTINGS_INVALID_DATA_BEHAVIOR_VALUES: set[SettingsInvalidDataBehavior] = {
    "BLOCK_SUBMIT",
    "INCLUDE_INVALID_ROWS",
    "INCLUDE_INVALID_ROWS_AND_VALUES",
    "REMOVE_INVALID_ROWS",
}


def check_settings_invalid_data_behavior(value: str) -> SettingsInvalidDataBehavior:
    if value in SETTINGS_INVALID_DATA_BEHAVIOR_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SETTINGS_INVALID_DATA_BEHAVIOR_VALUES!r}")
