from typing import Literal

SftpCredentialAuthType = Literal["KEY", "KEY_AND_PASSWORD", "PASSWORD"]

SFTP_CREDENTIAL_AUTH_TYPE_VALUES: set[SftpCredentialAuthType] = {
    "KEY",
    "KEY_AND_PASSWORD",
    "PASSWORD",
}


def check_sftp_credential_auth_type(value: str) -> SftpCredentialAuthType:
    if value in SFTP_CREDENTIAL_AUTH_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_CREDENTIAL_AUTH_TYPE_VALUES!r}")
