from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.deleted_part_name import DeletedPartName, check_deleted_part_name

T = TypeVar("T", bound="DeletedPart")


@_attrs_define
class DeletedPart:
    """
    Attributes:
        part (DeletedPartName):
        sha256 (str): Empty for problems.
        size (int): In bytes; 0 for problems.
    """

    part: DeletedPartName
    sha256: str
    size: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        part: str = self.part

        sha256 = self.sha256

        size = self.size

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "part": part,
                "sha256": sha256,
                "size": size,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        part = check_deleted_part_name(d.pop("part"))

        sha256 = d.pop("sha256")

        size = d.pop("size")

        deleted_part = cls(
            part=part,
            sha256=sha256,
            size=size,
        )

        deleted_part.additional_properties = d
        return deleted_part

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
