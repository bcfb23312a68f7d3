from typing import Literal

EventName = Literal[
    "headless_import_failed",
    "headless_import_needs_review",
    "import_completed",
    "sftp_connector_failed",
    "sftp_delivery_failed",
    "webhook_disabled",
]

EVENT_NAME_VALUES: set[EventName] = {
    "headless_import_failed",
    "headless_import_needs_review",
    "import_completed",
    "sftp_connector_failed",
    "sftp_delivery_failed",
    "webhook_disabled",
}


def check_event_name(value: str) -> EventName:
    if value in EVENT_NAME_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {EVENT_NAME_VALUES!r}")
