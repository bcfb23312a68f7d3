from typing import Literal

SftpConnectorFailedMessageEvent = Literal["sftp_connector_failed"]

SFTP_CONNECTOR_FAILED_MESSAGE_EVENT_VALUES: set[SftpConnectorFailedMessageEvent] = {
    "sftp_connector_failed",
}


def check_sftp_connector_failed_message_event(value: str) -> SftpConnectorFailedMessageEvent:
    if value in SFTP_CONNECTOR_FAILED_MESSAGE_EVENT_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_CONNECTOR_FAILED_MESSAGE_EVENT_VALUES!r}")
