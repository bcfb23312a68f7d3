from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="LexiconColumnDraft")


@_attrs_define
class LexiconColumnDraft:
    """Which header maps to a field.

    Attributes:
        field (str): The key of the field.
        header (str): The header of the column.
        remembered_date (datetime.datetime | Unset): When a person last confirmed the mapping. Default: now.
    """

    field: str
    header: str
    remembered_date: datetime.datetime | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        field = self.field

        header = self.header

        remembered_date: str | Unset = UNSET
        if not isinstance(self.remembered_date, Unset):
            remembered_date = self.remembered_date.isoformat()

        field_dict: dict[str, Any] = {}

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

        lexicon_column_draft = cls(
            field=field,
            header=header,
            remembered_date=remembered_date,
        )

        return lexicon_column_draft
