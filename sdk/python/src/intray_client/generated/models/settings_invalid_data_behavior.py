from typing import Literal, cast

SettingsInvalidDataBehavior = Literal[
    "BLOCK_SUBMIT", "INCLUDE_INVALID_ROWS", "INCLUDE_INVALID_ROWS_AND_VALUES", "REMOVE_INVALID_ROWS"
]


def check_settings_invalid_data_behavior(value: str) -> SettingsInvalidDataBehavior:
    # Later versions of the server can add values.
    return cast(SettingsInvalidDataBehavior, value)
