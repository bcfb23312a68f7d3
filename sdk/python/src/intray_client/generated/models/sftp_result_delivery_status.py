from typing import Literal

SftpResultDeliveryStatus = Literal["DELIVERED", "FAILED", "WAITING"]

SFTP_RESULT_DELIVERY_STATUS_VALUES: set[SftpResultDeliveryStatus] = {
    "DELIVERED",
    "FAILED",
    "WAITING",
}


def check_sftp_result_delivery_status(value: str) -> SftpResultDeliveryStatus:
    if value in SFTP_RESULT_DELIVERY_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_RESULT_DELIVERY_STATUS_VALUES!r}")
