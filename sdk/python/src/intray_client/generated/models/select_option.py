from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SelectOption")


@_attrs_define
class SelectOption:
    """An option of a select or multi-select field.

    Attributes:
        label (str): The name that people see.
        value (str): The value in the result.
        alternate_matches (list[str] | Unset): Other values in the file that mean this option.
    """

    label: str
    value: str
    alternate_matches: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        value = self.value

        alternate_matches: list[str] | Unset = UNSET
        if not isinstance(self.alternate_matches, Unset):
            alternate_matches = self.alternate_matches

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "label": label,
                "value": value,
            }
        )
        if alternate_matches is not UNSET:
            field_dict["alternateMatches"] = alternate_matches

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        label = d.pop("label")

        value = d.pop("value")

        alternate_matches = cast(list[str], d.pop("alternateMatches", UNSET))

        select_option = cls(
            label=label,
            value=value,
            alternate_matches=alternate_matches,
        )

        select_option.additional_properties = d
        return select_option

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
