from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="LexiconColumn")


@_attrs_define
class LexiconColumn:
    """
    Attributes:
        field (str): The key of the field.
        header (str): The header of the column.
        remembered_date (datetime.datetime | Unset): ISO 8601 in UTC with microseconds.
    """

    field: str
    header: str
    remembered_date: datetime.datetime | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field = self.field

        header = self.header

        remembered_date: str | Unset = UNSET
        if not isinstance(self.remembered_date, Unset):
            remembered_date = self.remembered_date.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "field": field,
                "header": header,
            }
        )
        if remembered_date is not UNSET:
            field_dict["remembered_date"] = remembered_date

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        field = d.pop("field")

        header = d.pop("header")

        _remembered_date = d.pop("remembered_date", UNSET)
        remembered_date: datetime.datetime | Unset
        if isinstance(_remembered_date, Unset):
            remembered_date = UNSET
        else:
            remembered_date = datetime.datetime.fromisoformat(_remembered_date)

        lexicon_column = cls(
            field=field,
            header=header,
            remembered_date=remembered_date,
        )

        lexicon_column.additional_properties = d
        return lexicon_column

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
