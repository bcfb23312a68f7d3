from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.cell_lineage import CellLineage


T = TypeVar("T", bound="Lineage")


@_attrs_define
class Lineage:
    """The lineage of the cells of a row.

    Attributes:
        cells (list[CellLineage]):
        line (int): The line of the file where the row begins, counted from 1.
        row (int): The data row, counted from 0.
    """

    cells: list[CellLineage]
    line: int
    row: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        cells = []
        for cells_item_data in self.cells:
            cells_item = cells_item_data.to_dict()
            cells.append(cells_item)

        line = self.line

        row = self.row

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "cells": cells,
                "line": line,
                "row": row,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.cell_lineage import CellLineage

        d = dict(src_dict)
        cells = []
        _cells = d.pop("cells")
        for cells_item_data in _cells:
            cells_item = CellLineage.from_dict(cells_item_data)

            cells.append(cells_item)

        line = d.pop("line")

        row = d.pop("row")

        lineage = cls(
            cells=cells,
            line=line,
            row=row,
        )

        lineage.additional_properties = d
        return lineage

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
