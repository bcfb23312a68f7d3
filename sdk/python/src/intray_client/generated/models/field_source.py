from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="FieldSource")


@_attrs_define
class FieldSource:
    """The column that feeds the field, or null. A field with manyToOne has lists of columns instead.

    Attributes:
        file_header (None | str):
        file_header_index (int | None): Counted from 0.
        is_custom (bool):
        many_to_one (bool):
        file_header_indexes (list[int] | Unset): With manyToOne only. Counted from 0.
        file_headers (list[str] | Unset): With manyToOne only.
    """

    file_header: None | str
    file_header_index: int | None
    is_custom: bool
    many_to_one: bool
    file_header_indexes: list[int] | Unset = UNSET
    file_headers: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        file_header: None | str
        file_header = self.file_header

        file_header_index: int | None
        file_header_index = self.file_header_index

        is_custom = self.is_custom

        many_to_one = self.many_to_one

        file_header_indexes: list[int] | Unset = UNSET
        if not isinstance(self.file_header_indexes, Unset):
            file_header_indexes = self.file_header_indexes

        file_headers: list[str] | Unset = UNSET
        if not isinstance(self.file_headers, Unset):
            file_headers = self.file_headers

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fileHeader": file_header,
                "fileHeaderIndex": file_header_index,
                "isCustom": is_custom,
                "manyToOne": many_to_one,
            }
        )
        if file_header_indexes is not UNSET:
            field_dict["fileHeaderIndexes"] = file_header_indexes
        if file_headers is not UNSET:
            field_dict["fileHeaders"] = file_headers

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_file_header(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        file_header = _parse_file_header(d.pop("fileHeader"))

        def _parse_file_header_index(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        file_header_index = _parse_file_header_index(d.pop("fileHeaderIndex"))

        is_custom = d.pop("isCustom")

        many_to_one = d.pop("manyToOne")

        file_header_indexes = cast(list[int], d.pop("fileHeaderIndexes", UNSET))

        file_headers = cast(list[str], d.pop("fileHeaders", UNSET))

        field_source = cls(
            file_header=file_header,
            file_header_index=file_header_index,
            is_custom=is_custom,
            many_to_one=many_to_one,
            file_header_indexes=file_header_indexes,
            file_headers=file_headers,
        )

        field_source.additional_properties = d
        return field_source

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
