from typing import Literal, cast

SftpCredentialDraftAuthType = Literal["KEY", "KEY_AND_PASSWORD", "PASSWORD"]


def check_sftp_credential_draft_auth_type(value: str) -> SftpCredentialDraftAuthType:
    # Later versions of the server can add values.
    return cast(SftpCredentialDraftAuthType, value)
