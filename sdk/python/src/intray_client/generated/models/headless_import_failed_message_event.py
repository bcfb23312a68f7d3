from typing import Literal

HeadlessImportFailedMessageEvent = Literal["headless_import_failed"]

HEADLESS_IMPORT_FAILED_MESSAGE_EVENT_VALUES: set[HeadlessImportFailedMessageEvent] = {
    "headless_import_failed",
}


def check_headless_import_failed_message_event(value: str) -> HeadlessImportFailedMessageEvent:
    if value in HEADLESS_IMPORT_FAILED_MESSAGE_EVENT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {HEADLESS_IMPORT_FAILED_MESSAGE_EVENT_VALUES!r}")
