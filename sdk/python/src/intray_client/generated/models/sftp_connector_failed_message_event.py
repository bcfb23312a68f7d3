from typing import Literal, cast

SftpConnectorFailedMessageEvent = Literal["sftp_connector_failed"]


def check_sftp_connector_failed_message_event(value: str) -> SftpConnectorFailedMessageEvent:
    # The value distinguishes types.
    if value != "sftp_connector_failed":
        raise TypeError(f"Unexpected value {value!r}. Expected sftp_connector_failed.")
    return cast(SftpConnectorFailedMessageEvent, value)
