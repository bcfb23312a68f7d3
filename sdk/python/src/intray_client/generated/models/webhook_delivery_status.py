from typing import Literal, cast

WebhookDeliveryStatus = Literal["DELIVERED", "FAILED", "WAITING"]


def check_webhook_delivery_status(value: str) -> WebhookDeliveryStatus:
    # Later versions of the server can add values.
    return cast(WebhookDeliveryStatus, value)
