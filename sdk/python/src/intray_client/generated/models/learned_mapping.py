from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.learned_mapping_kind import LearnedMappingKind, check_learned_mapping_kind

T = TypeVar("T", bound="LearnedMapping")


@_attrs_define
class LearnedMapping:
    """A decision that Intray learned from a person.

    Attributes:
        field (str): The key of the field.
        kind (LearnedMappingKind):
        remembered_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        text (str): The header of the column, or the raw value of cells.
        value (None | str): The value that the raw value is read as, empty for an empty cell. null for a column.
    """

    field: str
    kind: LearnedMappingKind
    remembered_date: datetime.datetime
    text: str
    value: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field = self.field

        kind: str = self.kind

        remembered_date = self.remembered_date.isoformat()

        text = self.text

        value: None | str
        value = self.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "field": field,
                "kind": kind,
                "remembered_date": remembered_date,
                "text": text,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        field = d.pop("field")

        kind = check_learned_mapping_kind(d.pop("kind"))

        remembered_date = datetime.datetime.fromisoformat(d.pop("remembered_date"))

        text = d.pop("text")

        def _parse_value(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        value = _parse_value(d.pop("value"))

        learned_mapping = cls(
            field=field,
            kind=kind,
            remembered_date=remembered_date,
            text=text,
            value=value,
        )

        learned_mapping.additional_properties = d
        return learned_mapping

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
