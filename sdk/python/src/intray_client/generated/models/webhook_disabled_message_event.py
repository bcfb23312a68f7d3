from typing import Literal

WebhookDisabledMessageEvent = Literal["webhook_disabled"]

WEBHOOK_DISABLED_MESSAGE_EVENT_VALUES: set[WebhookDisabledMessageEvent] = {
    "webhook_disabled",
}


def check_webhook_disabled_message_event(value: str) -> WebhookDisabledMessageEvent:
    if value in WEBHOOK_DISABLED_MESSAGE_EVENT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {WEBHOOK_DISABLED_MESSAGE_EVENT_VALUES!r}")
