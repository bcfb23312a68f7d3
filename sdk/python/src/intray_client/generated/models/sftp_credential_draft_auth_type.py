from typing import Literal

SftpCredentialDraftAuthType = Literal["KEY", "KEY_AND_PASSWORD", "PASSWORD"]

SFTP_CREDENTIAL_DRAFT_AUTH_TYPE_VALUES: set[SftpCredentialDraftAuthType] = {
    "KEY",
    "KEY_AND_PASSWORD",
    "PASSWORD",
}


def check_sftp_credential_draft_auth_type(value: str) -> SftpCredentialDraftAuthType:
    if value in SFTP_CREDENTIAL_DRAFT_AUTH_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_CREDENTIAL_DRAFT_AUTH_TYPE_VALUES!r}")
