from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="DomainTypeOptions")


@_attrs_define
class DomainTypeOptions:
    """The options of the type domain.

    Attributes:
        allow_subdomains (bool | Unset): Accepts subdomains. Default: true.
    """

    allow_subdomains: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        allow_subdomains = self.allow_subdomains

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if allow_subdomains is not UNSET:
            field_dict["allowSubdomains"] = allow_subdomains

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        allow_subdomains = d.pop("allowSubdomains", UNSET)

        domain_type_options = cls(
            allow_subdomains=allow_subdomains,
        )

        domain_type_options.additional_properties = d
        return domain_type_options

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
