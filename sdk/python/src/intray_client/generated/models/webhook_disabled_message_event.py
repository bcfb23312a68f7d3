from typing import Literal, cast

WebhookDisabledMessageEvent = Literal["webhook_disabled"]


def check_webhook_disabled_message_event(value: str) -> WebhookDisabledMessageEvent:
    # The value distinguishes types.
    if value != "webhook_disabled":
        raise TypeError(f"Unexpected value {value!r}. Expected webhook_disabled.")
    return cast(WebhookDisabledMessageEvent, value)
