from typing import Literal, cast

HeadlessImportNeedsReviewMessageEvent = Literal["headless_import_needs_review"]


def check_headless_import_needs_review_message_event(value: str) -> HeadlessImportNeedsReviewMessageEvent:
    # The value distinguishes types.
    if value != "headless_import_needs_review":
        raise TypeError(f"Unexpected value {value!r}. Expected headless_import_needs_review.")
    return cast(HeadlessImportNeedsReviewMessageEvent, value)
