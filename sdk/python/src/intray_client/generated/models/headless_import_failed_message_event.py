from typing import Literal, cast

HeadlessImportFailedMessageEvent = Literal["headless_import_failed"]


def check_headless_import_failed_message_event(value: str) -> HeadlessImportFailedMessageEvent:
    # The value distinguishes types.
    if value != "headless_import_failed":
        raise TypeError(f"Unexpected value {value!r}. Expected headless_import_failed.")
    return cast(HeadlessImportFailedMessageEvent, value)
