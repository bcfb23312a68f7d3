from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.sftp_connection_test_error_params import SftpConnectionTestErrorParams


T = TypeVar("T", bound="SftpConnectionTest")


@_attrs_define
class SftpConnectionTest:
    """
    Attributes:
        error (str): What went wrong, in English. Empty if nothing did.
        success (bool):
        error_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        error_params (SftpConnectionTestErrorParams | Unset): The parameters of the sentence by name: strings, numbers,
            messages, or lists of strings or messages.
        host_key_fingerprint (str | Unset): The host key of the server.
    """

    error: str
    success: bool
    error_code: str | Unset = UNSET
    error_params: SftpConnectionTestErrorParams | Unset = UNSET
    host_key_fingerprint: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        error = self.error

        success = self.success

        error_code = self.error_code

        error_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error_params, Unset):
            error_params = self.error_params.to_dict()

        host_key_fingerprint = self.host_key_fingerprint

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "error": error,
                "success": success,
            }
        )
        if error_code is not UNSET:
            field_dict["error_code"] = error_code
        if error_params is not UNSET:
            field_dict["error_params"] = error_params
        if host_key_fingerprint is not UNSET:
            field_dict["host_key_fingerprint"] = host_key_fingerprint

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.sftp_connection_test_error_params import (
            SftpConnectionTestErrorParams,
        )

        d = dict(src_dict)
        error = d.pop("error")

        success = d.pop("success")

        error_code = d.pop("error_code", UNSET)

        _error_params = d.pop("error_params", UNSET)
        error_params: SftpConnectionTestErrorParams | Unset
        if isinstance(_error_params, Unset):
            error_params = UNSET
        else:
            error_params = SftpConnectionTestErrorParams.from_dict(_error_params)

        host_key_fingerprint = d.pop("host_key_fingerprint", UNSET)

        sftp_connection_test = cls(
            error=error,
            success=success,
            error_code=error_code,
            error_params=error_params,
            host_key_fingerprint=host_key_fingerprint,
        )

        sftp_connection_test.additional_properties = d
        return sftp_connection_test

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
