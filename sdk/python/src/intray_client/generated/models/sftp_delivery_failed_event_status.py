from typing import Literal, cast

SftpDeliveryFailedEventStatus = Literal["DELIVERED", "FAILED", "WAITING"]


def check_sftp_delivery_failed_event_status(value: str) -> SftpDeliveryFailedEventStatus:
    # Later versions of the server can add values.
    return cast(SftpDeliveryFailedEventStatus, value)
