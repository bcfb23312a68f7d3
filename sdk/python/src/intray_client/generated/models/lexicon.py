from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.lexicon_column import LexiconColumn
    from ..models.lexicon_value import LexiconValue


T = TypeVar("T", bound="Lexicon")


@_attrs_define
class Lexicon:
    """The decisions that Intray learned for an import identifier.

    Attributes:
        columns (list[LexiconColumn]):
        values (list[LexiconValue]):
    """

    columns: list[LexiconColumn]
    values: list[LexiconValue]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        columns = []
        for columns_item_data in self.columns:
            columns_item = columns_item_data.to_dict()
            columns.append(columns_item)

        values = []
        for values_item_data in self.values:
            values_item = values_item_data.to_dict()
            values.append(values_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "columns": columns,
                "values": values,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.lexicon_column import LexiconColumn
        from ..models.lexicon_value import LexiconValue

        d = dict(src_dict)
        columns = []
        _columns = d.pop("columns")
        for columns_item_data in _columns:
            columns_item = LexiconColumn.from_dict(columns_item_data)

            columns.append(columns_item)

        values = []
        _values = d.pop("values")
        for values_item_data in _values:
            values_item = LexiconValue.from_dict(values_item_data)

            values.append(values_item)

        lexicon = cls(
            columns=columns,
            values=values,
        )

        lexicon.additional_properties = d
        return lexicon

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
