from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="LexiconValueDraft")


@_attrs_define
class LexiconValueDraft:
    """Which raw value maps to a value.

    Attributes:
        field (str): The key of the field.
        text (str): The raw value of cells.
        value (str): The value that the raw value is read as, empty for an empty cell.
        remembered_date (datetime.datetime | Unset): When a person last confirmed the mapping. Default: now.
    """

    field: str
    text: str
    value: str
    remembered_date: datetime.datetime | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        field = self.field

        text = self.text

        value = self.value

        remembered_date: str | Unset = UNSET
        if not isinstance(self.remembered_date, Unset):
            remembered_date = self.remembered_date.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "field": field,
                "text": text,
                "value": value,
            }
        )
        if remembered_date is not UNSET:
            field_dict["remembered_date"] = remembered_date

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        field = d.pop("field")

        text = d.pop("text")

        value = d.pop("value")

        _remembered_date = d.pop("remembered_date", UNSET)
        remembered_date: datetime.datetime | Unset
        if isinstance(_remembered_date, Unset):
            remembered_date = UNSET
        else:
            remembered_date = datetime.datetime.fromisoformat(_remembered_date)

        lexicon_value_draft = cls(
            field=field,
            text=text,
            value=value,
            remembered_date=remembered_date,
        )

        return lexicon_value_draft
