from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="SelectTypeOptions")


@_attrs_define
class SelectTypeOptions:
    """The options of the type select.

    Attributes:
        allow_custom (bool | Unset): Accepts any value. Default: false.
        exact_match_only (bool | Unset): Accepts only exact matches. Default: false.
    """

    allow_custom: bool | Unset = UNSET
    exact_match_only: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        allow_custom = self.allow_custom

        exact_match_only = self.exact_match_only

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if allow_custom is not UNSET:
            field_dict["allowCustom"] = allow_custom
        if exact_match_only is not UNSET:
            field_dict["exactMatchOnly"] = exact_match_only

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        allow_custom = d.pop("allowCustom", UNSET)

        exact_match_only = d.pop("exactMatchOnly", UNSET)

        select_type_options = cls(
            allow_custom=allow_custom,
            exact_match_only=exact_match_only,
        )

        select_type_options.additional_properties = d
        return select_type_options

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
