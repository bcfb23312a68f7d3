from typing import Literal, cast

SftpCredentialAuthType = Literal["KEY", "KEY_AND_PASSWORD", "PASSWORD"]


def check_sftp_credential_auth_type(value: str) -> SftpCredentialAuthType:
    # Later versions of the server can add values.
    return cast(SftpCredentialAuthType, value)
