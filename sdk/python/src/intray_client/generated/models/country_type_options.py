from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.country_type_options_format import (
    CountryTypeOptionsFormat,
    check_country_type_options_format,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="CountryTypeOptions")


@_attrs_define
class CountryTypeOptions:
    """The options of the type country.

    Attributes:
        format_ (CountryTypeOptionsFormat | Unset): The ISO 3166 code in the result. Default: "2-letter".
    """

    format_: CountryTypeOptionsFormat | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if format_ is not UNSET:
            field_dict["format"] = format_

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        _format_ = d.pop("format", UNSET)
        format_: CountryTypeOptionsFormat | Unset
        if isinstance(_format_, Unset):
            format_ = UNSET
        else:
            format_ = check_country_type_options_format(_format_)

        country_type_options = cls(
            format_=format_,
        )

        country_type_options.additional_properties = d
        return country_type_options

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
