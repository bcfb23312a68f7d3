from typing import Literal

SettingsBackendSyncMode = Literal["DISABLED", "FULL_DATA", "MAPPINGS_ONLY"]

SETTINGS_BACKEND_SYNC_MODE_VALUES: set[SettingsBackendSyncMode] = {
    "DISABLED",
    "FULL_DATA",
    "MAPPINGS_ONLY",
}


def check_settings_backend_sync_mode(value: str) -> SettingsBackendSyncMode:
    if value in SETTINGS_BACKEND_SYNC_MODE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SETTINGS_BACKEND_SYNC_MODE_VALUES!r}")
