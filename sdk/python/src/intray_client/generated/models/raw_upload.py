from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="RawUpload")


@_attrs_define
class RawUpload:
    """
    Attributes:
        filename (str):
        storage_key (str):
        download_url (str | Unset): In the metadata only: signed URL of the received file, valid for 1,800 seconds.
    """

    filename: str
    storage_key: str
    download_url: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        filename = self.filename

        storage_key = self.storage_key

        download_url = self.download_url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "filename": filename,
                "storage_key": storage_key,
            }
        )
        if download_url is not UNSET:
            field_dict["download_url"] = download_url

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        filename = d.pop("filename")

        storage_key = d.pop("storage_key")

        download_url = d.pop("download_url", UNSET)

        raw_upload = cls(
            filename=filename,
            storage_key=storage_key,
            download_url=download_url,
        )

        raw_upload.additional_properties = d
        return raw_upload

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
