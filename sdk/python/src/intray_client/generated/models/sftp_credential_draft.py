from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.sftp_credential_draft_auth_type import (
    SftpCredentialDraftAuthType,
    check_sftp_credential_draft_auth_type,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="SftpCredentialDraft")


@_attrs_define
class SftpCredentialDraft:
    """A login for an SFTP server.

    Attributes:
        auth_type (SftpCredentialDraftAuthType): KEY_AND_PASSWORD is for servers that require both.
        hostname (str): Host name or IP address.
        port (int):
        user (str):
        password (None | str | Unset): With auth_type PASSWORD and KEY_AND_PASSWORD only.
        private_key (None | str | Unset): In OpenSSH format, without a passphrase. With auth_type KEY and
            KEY_AND_PASSWORD only.
    """

    auth_type: SftpCredentialDraftAuthType
    hostname: str
    port: int
    user: str
    password: None | str | Unset = UNSET
    private_key: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        auth_type: str = self.auth_type

        hostname = self.hostname

        port = self.port

        user = self.user

        password: None | str | Unset
        if isinstance(self.password, Unset):
            password = UNSET
        else:
            password = self.password

        private_key: None | str | Unset
        if isinstance(self.private_key, Unset):
            private_key = UNSET
        else:
            private_key = self.private_key

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "auth_type": auth_type,
                "hostname": hostname,
                "port": port,
                "user": user,
            }
        )
        if password is not UNSET:
            field_dict["password"] = password
        if private_key is not UNSET:
            field_dict["private_key"] = private_key

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        auth_type = check_sftp_credential_draft_auth_type(d.pop("auth_type"))

        hostname = d.pop("hostname")

        port = d.pop("port")

        user = d.pop("user")

        def _parse_password(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        password = _parse_password(d.pop("password", UNSET))

        def _parse_private_key(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        private_key = _parse_private_key(d.pop("private_key", UNSET))

        sftp_credential_draft = cls(
            auth_type=auth_type,
            hostname=hostname,
            port=port,
            user=user,
            password=password,
            private_key=private_key,
        )

        return sftp_credential_draft
