from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.upload import Upload


T = TypeVar("T", bound="Uploads")


@_attrs_define
class Uploads:
    """
    Attributes:
        data (list[Upload]): Newest first.
        end (int):
        start (int):
        total_num_uploads (int): Number of uploads that match the filter.
    """

    data: list[Upload]
    end: int
    start: int
    total_num_uploads: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        end = self.end

        start = self.start

        total_num_uploads = self.total_num_uploads

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "data": data,
                "end": end,
                "start": start,
                "total_num_uploads": total_num_uploads,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.upload import Upload

        d = dict(src_dict)
        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = Upload.from_dict(data_item_data)

            data.append(data_item)

        end = d.pop("end")

        start = d.pop("start")

        total_num_uploads = d.pop("total_num_uploads")

        uploads = cls(
            data=data,
            end=end,
            start=start,
            total_num_uploads=total_num_uploads,
        )

        uploads.additional_properties = d
        return uploads

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
