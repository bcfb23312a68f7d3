from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.lexicon_column_draft import LexiconColumnDraft
    from ..models.lexicon_value_draft import LexiconValueDraft


T = TypeVar("T", bound="LexiconDraft")


@_attrs_define
class LexiconDraft:
    """The learned mappings of an import identifier.

    Attributes:
        columns (list[LexiconColumnDraft] | Unset): Which header maps to which field.
        values (list[LexiconValueDraft] | Unset): Which raw value maps to which value.
    """

    columns: list[LexiconColumnDraft] | Unset = UNSET
    values: list[LexiconValueDraft] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        columns: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.columns, Unset):
            columns = []
            for columns_item_data in self.columns:
                columns_item = columns_item_data.to_dict()
                columns.append(columns_item)

        values: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.values, Unset):
            values = []
            for values_item_data in self.values:
                values_item = values_item_data.to_dict()
                values.append(values_item)

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if columns is not UNSET:
            field_dict["columns"] = columns
        if values is not UNSET:
            field_dict["values"] = values

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.lexicon_column_draft import LexiconColumnDraft
        from ..models.lexicon_value_draft import LexiconValueDraft

        d = dict(src_dict)
        _columns = d.pop("columns", UNSET)
        columns: list[LexiconColumnDraft] | Unset = UNSET
        if _columns is not UNSET:
            columns = []
            for columns_item_data in _columns:
                columns_item = LexiconColumnDraft.from_dict(columns_item_data)

                columns.append(columns_item)

        _values = d.pop("values", UNSET)
        values: list[LexiconValueDraft] | Unset = UNSET
        if _values is not UNSET:
            values = []
            for values_item_data in _values:
                values_item = LexiconValueDraft.from_dict(values_item_data)

                values.append(values_item)

        lexicon_draft = cls(
            columns=columns,
            values=values,
        )

        return lexicon_draft
