from typing import Literal, cast

SftpDeliveryFailedMessageEvent = Literal["sftp_delivery_failed"]


def check_sftp_delivery_failed_message_event(value: str) -> SftpDeliveryFailedMessageEvent:
    # The value distinguishes types.
    if value != "sftp_delivery_failed":
        raise TypeError(f"Unexpected value {value!r}. Expected sftp_delivery_failed.")
    return cast(SftpDeliveryFailedMessageEvent, value)
