from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SchemaRetention")


@_attrs_define
class SchemaRetention:
    """For how long Intray keeps the parts of the imports of a schema.

    Attributes:
        schema_id (UUID): A saved schema.
        originals_days (int | None | Unset): Number of days to keep the file of an import after the import has ended.
            null, the default, means forever.
        problems_days (int | None | Unset): Number of days to keep problems with their cells, and messages about them.
            null, the default, means forever.
        results_days (int | None | Unset): Number of days to keep the result and the staged rows. null, the default,
            means forever.
    """

    schema_id: UUID
    originals_days: int | None | Unset = UNSET
    problems_days: int | None | Unset = UNSET
    results_days: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        schema_id = str(self.schema_id)

        originals_days: int | None | Unset
        if isinstance(self.originals_days, Unset):
            originals_days = UNSET
        else:
            originals_days = self.originals_days

        problems_days: int | None | Unset
        if isinstance(self.problems_days, Unset):
            problems_days = UNSET
        else:
            problems_days = self.problems_days

        results_days: int | None | Unset
        if isinstance(self.results_days, Unset):
            results_days = UNSET
        else:
            results_days = self.results_days

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "schema_id": schema_id,
            }
        )
        if originals_days is not UNSET:
            field_dict["originals_days"] = originals_days
        if problems_days is not UNSET:
            field_dict["problems_days"] = problems_days
        if results_days is not UNSET:
            field_dict["results_days"] = results_days

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        schema_id = UUID(d.pop("schema_id"))

        def _parse_originals_days(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        originals_days = _parse_originals_days(d.pop("originals_days", UNSET))

        def _parse_problems_days(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        problems_days = _parse_problems_days(d.pop("problems_days", UNSET))

        def _parse_results_days(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        results_days = _parse_results_days(d.pop("results_days", UNSET))

        schema_retention = cls(
            schema_id=schema_id,
            originals_days=originals_days,
            problems_days=problems_days,
            results_days=results_days,
        )

        schema_retention.additional_properties = d
        return schema_retention

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
