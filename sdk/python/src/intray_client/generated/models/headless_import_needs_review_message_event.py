from typing import Literal

HeadlessImportNeedsReviewMessageEvent = Literal["headless_import_needs_review"]

HEADLESS_IMPORT_NEEDS_REVIEW_MESSAGE_EVENT_VALUES: set[HeadlessImportNeedsReviewMessageEvent] = {
    "headless_import_needs_review",
}


def check_headless_import_needs_review_message_event(value: str) -> HeadlessImportNeedsReviewMessageEvent:
    if value in HEADLESS_IMPORT_NEEDS_REVIEW_MESSAGE_EVENT_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {HEADLESS_IMPORT_NEEDS_REVIEW_MESSAGE_EVENT_VALUES!r}"
    )
