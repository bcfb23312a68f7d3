from typing import Literal

ImportCompletedMessageEvent = Literal["import_completed"]

IMPORT_COMPLETED_MESSAGE_EVENT_VALUES: set[ImportCompletedMessageEvent] = {
    "import_completed",
}


def check_import_completed_message_event(value: str) -> ImportCompletedMessageEvent:
    if value in IMPORT_COMPLETED_MESSAGE_EVENT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {IMPORT_COMPLETED_MESSAGE_EVENT_VALUES!r}")
