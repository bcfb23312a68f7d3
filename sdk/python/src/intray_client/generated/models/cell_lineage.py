from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.cell_column import CellColumn
    from ..models.cell_problem import CellProblem
    from ..models.cell_step import CellStep


T = TypeVar("T", bound="CellLineage")


@_attrs_define
class CellLineage:
    """Where a cell came from and what each step did to it.

    Attributes:
        columns (list[CellColumn]): The columns that feed the field. Empty if none does.
        field (str): The key of the field.
        problems (list[CellProblem]): The problems of the cell, then those of the row as a whole.
        raw (str): The raw value in the file, at most 65,536 bytes of it. A JSON array of strings if several columns
            feed the field.
        steps (list[CellStep]): In the order in which they ran.
        value (None | str): The canonical form of the value, at most 65,536 bytes of it. null if the cell has no value.
    """

    columns: list[CellColumn]
    field: str
    problems: list[CellProblem]
    raw: str
    steps: list[CellStep]
    value: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        columns = []
        for columns_item_data in self.columns:
            columns_item = columns_item_data.to_dict()
            columns.append(columns_item)

        field = self.field

        problems = []
        for problems_item_data in self.problems:
            problems_item = problems_item_data.to_dict()
            problems.append(problems_item)

        raw = self.raw

        steps = []
        for steps_item_data in self.steps:
            steps_item = steps_item_data.to_dict()
            steps.append(steps_item)

        value: None | str
        value = self.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "columns": columns,
                "field": field,
                "problems": problems,
                "raw": raw,
                "steps": steps,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.cell_column import CellColumn
        from ..models.cell_problem import CellProblem
        from ..models.cell_step import CellStep

        d = dict(src_dict)
        columns = []
        _columns = d.pop("columns")
        for columns_item_data in _columns:
            columns_item = CellColumn.from_dict(columns_item_data)

            columns.append(columns_item)

        field = d.pop("field")

        problems = []
        _problems = d.pop("problems")
        for problems_item_data in _problems:
            problems_item = CellProblem.from_dict(problems_item_data)

            problems.append(problems_item)

        raw = d.pop("raw")

        steps = []
        _steps = d.pop("steps")
        for steps_item_data in _steps:
            steps_item = CellStep.from_dict(steps_item_data)

            steps.append(steps_item)

        def _parse_value(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        value = _parse_value(d.pop("value"))

        cell_lineage = cls(
            columns=columns,
            field=field,
            problems=problems,
            raw=raw,
            steps=steps,
            value=value,
        )

        cell_lineage.additional_properties = d
        return cell_lineage

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
