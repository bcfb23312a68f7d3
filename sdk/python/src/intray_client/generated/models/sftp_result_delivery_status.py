from typing import Literal, cast

SftpResultDeliveryStatus = Literal["DELIVERED", "FAILED", "WAITING"]


def check_sftp_result_delivery_status(value: str) -> SftpResultDeliveryStatus:
    # Later versions of the server can add values.
    return cast(SftpResultDeliveryStatus, value)
