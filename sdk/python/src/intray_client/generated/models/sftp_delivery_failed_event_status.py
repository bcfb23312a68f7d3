from typing import Literal

SftpDeliveryFailedEventStatus = Literal["DELIVERED", "FAILED", "WAITING"]

SFTP_DELIVERY_FAILED_EVENT_STATUS_VALUES: set[SftpDeliveryFailedEventStatus] = {
    "DELIVERED",
    "FAILED",
    "WAITING",
}


def check_sftp_delivery_failed_event_status(value: str) -> SftpDeliveryFailedEventStatus:
    if value in SFTP_DELIVERY_FAILED_EVENT_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_DELIVERY_FAILED_EVENT_STATUS_VALUES!r}")
