from typing import Literal, cast

EventName = Literal[
    "headless_import_failed",
    "headless_import_needs_review",
    "import_completed",
    "sftp_connector_failed",
    "sftp_delivery_failed",
    "webhook_disabled",
]


def check_event_name(value: str) -> EventName:
    # Later versions of the server can add values.
    return cast(EventName, value)
