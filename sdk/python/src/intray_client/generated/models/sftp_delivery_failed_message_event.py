from typing import Literal

SftpDeliveryFailedMessageEvent = Literal["sftp_delivery_failed"]

SFTP_DELIVERY_FAILED_MESSAGE_EVENT_VALUES: set[SftpDeliveryFailedMessageEvent] = {
    "sftp_delivery_failed",
}


def check_sftp_delivery_failed_message_event(value: str) -> SftpDeliveryFailedMessageEvent:
    if value in SFTP_DELIVERY_FAILED_MESSAGE_EVENT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_DELIVERY_FAILED_MESSAGE_EVENT_VALUES!r}")
