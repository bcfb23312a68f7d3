from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.sftp_credential_auth_type import (
    SftpCredentialAuthType,
    check_sftp_credential_auth_type,
)

T = TypeVar("T", bound="SftpCredential")


@_attrs_define
class SftpCredential:
    """
    Attributes:
        auth_type (SftpCredentialAuthType):
        hostname (str):
        id (UUID): Id of the credential.
        key_fingerprint (str): Identifies the stored secret: SHA256:… of the public key, or of the password under a key
            of the server.
        port (int):
        user (str):
    """

    auth_type: SftpCredentialAuthType
    hostname: str
    id: UUID
    key_fingerprint: str
    port: int
    user: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        auth_type: str = self.auth_type

        hostname = self.hostname

        id = str(self.id)

        key_fingerprint = self.key_fingerprint

        port = self.port

        user = self.user

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "auth_type": auth_type,
                "hostname": hostname,
                "id": id,
                "key_fingerprint": key_fingerprint,
                "port": port,
                "user": user,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        auth_type = check_sftp_credential_auth_type(d.pop("auth_type"))

        hostname = d.pop("hostname")

        id = UUID(d.pop("id"))

        key_fingerprint = d.pop("key_fingerprint")

        port = d.pop("port")

        user = d.pop("user")

        sftp_credential = cls(
            auth_type=auth_type,
            hostname=hostname,
            id=id,
            key_fingerprint=key_fingerprint,
            port=port,
            user=user,
        )

        sftp_credential.additional_properties = d
        return sftp_credential

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
