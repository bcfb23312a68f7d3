from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.schema_retention import SchemaRetention


T = TypeVar("T", bound="Retention")


@_attrs_define
class Retention:
    """For how long Intray keeps the parts of imports.

    Attributes:
        learned_days (int | None | Unset): Number of days to keep a learned mapping after a person last confirmed it.
            null, the default, means forever.
        originals_days (int | None | Unset): Number of days to keep the file of an import after the import has ended.
            null, the default, means forever.
        problems_days (int | None | Unset): Number of days to keep problems with their cells, and messages about them.
            null, the default, means forever.
        results_days (int | None | Unset): Number of days to keep the result and the staged rows. null, the default,
            means forever.
        schemas (list[SchemaRetention] | Unset): Policies for the imports of single schemas, which replace the one
            above.
    """

    learned_days: int | None | Unset = UNSET
    originals_days: int | None | Unset = UNSET
    problems_days: int | None | Unset = UNSET
    results_days: int | None | Unset = UNSET
    schemas: list[SchemaRetention] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        learned_days: int | None | Unset
        if isinstance(self.learned_days, Unset):
            learned_days = UNSET
        else:
            learned_days = self.learned_days

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

        schemas: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.schemas, Unset):
            schemas = []
            for schemas_item_data in self.schemas:
                schemas_item = schemas_item_data.to_dict()
                schemas.append(schemas_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if learned_days is not UNSET:
            field_dict["learned_days"] = learned_days
        if originals_days is not UNSET:
            field_dict["originals_days"] = originals_days
        if problems_days is not UNSET:
            field_dict["problems_days"] = problems_days
        if results_days is not UNSET:
            field_dict["results_days"] = results_days
        if schemas is not UNSET:
            field_dict["schemas"] = schemas

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.schema_retention import SchemaRetention

        d = dict(src_dict)

        def _parse_learned_days(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        learned_days = _parse_learned_days(d.pop("learned_days", UNSET))

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

        _schemas = d.pop("schemas", UNSET)
        schemas: list[SchemaRetention] | Unset = UNSET
        if _schemas is not UNSET:
            schemas = []
            for schemas_item_data in _schemas:
                schemas_item = SchemaRetention.from_dict(schemas_item_data)

                schemas.append(schemas_item)

        retention = cls(
            learned_days=learned_days,
            originals_days=originals_days,
            problems_days=problems_days,
            results_days=results_days,
            schemas=schemas,
        )

        retention.additional_properties = d
        return retention

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
