from typing import Literal, cast

SettingsBackendSyncMode = Literal["DISABLED", "FULL_DATA", "MAPPINGS_ONLY"]


def check_settings_backend_sync_mode(value: str) -> SettingsBackendSyncMode:
    # Later versions of the server can add values.
    return cast(SettingsBackendSyncMode, value)
