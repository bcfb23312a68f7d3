from typing import Literal, cast

ImportCompletedMessageEvent = Literal["import_completed"]


def check_import_completed_message_event(value: str) -> ImportCompletedMessageEvent:
    # The value distinguishes types.
    if value != "import_completed":
        raise TypeError(f"Unexpected value {value!r}. Expected import_completed.")
    return cast(ImportCompletedMessageEvent, value)
