from typing import Literal

ImportEventImportType = Literal["EMBEDDED", "HEADLESS"]

IMPORT_EVENT_IMPORT_TYPE_VALUES: set[ImportEventImportType] = {
    "EMBEDDED",
    "HEADLESS",
}


def check_import_event_import_type(value: str) -> ImportEventImportType:
    if value in IMPORT_EVENT_IMPORT_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {IMPORT_EVENT_IMPORT_TYPE_VALUES!r}")
