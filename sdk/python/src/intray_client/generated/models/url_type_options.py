from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="URLTypeOptions")


@_attrs_define
class URLTypeOptions:
    """The options of the type url.

    Attributes:
        accepted_domains (list[str] | Unset): The accepted domains.
        accepted_protocols (list[str] | Unset): The accepted protocols.
    """

    accepted_domains: list[str] | Unset = UNSET
    accepted_protocols: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        accepted_domains: list[str] | Unset = UNSET
        if not isinstance(self.accepted_domains, Unset):
            accepted_domains = self.accepted_domains

        accepted_protocols: list[str] | Unset = UNSET
        if not isinstance(self.accepted_protocols, Unset):
            accepted_protocols = self.accepted_protocols

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if accepted_domains is not UNSET:
            field_dict["acceptedDomains"] = accepted_domains
        if accepted_protocols is not UNSET:
            field_dict["acceptedProtocols"] = accepted_protocols

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        accepted_domains = cast(list[str], d.pop("acceptedDomains", UNSET))

        accepted_protocols = cast(list[str], d.pop("acceptedProtocols", UNSET))

        url_type_options = cls(
            accepted_domains=accepted_domains,
            accepted_protocols=accepted_protocols,
        )

        url_type_options.additional_properties = d
        return url_type_options

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
