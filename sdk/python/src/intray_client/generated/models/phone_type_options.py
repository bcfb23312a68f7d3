from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.phone_type_options_format import (
    PhoneTypeOptionsFormat,
    check_phone_type_options_format,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="PhoneTypeOptions")


@_attrs_define
class PhoneTypeOptions:
    """The options of the type phone.

    Attributes:
        country (str | Unset): The country that Intray assumes for numbers without a country code, as a two-letter code
            such as `FR`.
        format_ (PhoneTypeOptionsFormat | Unset): The format in the result. `international` and `both` include the
            country code. `national` omits it if the option `country` is set. `both` requires this option. Default:
            "international".
        output_formatted (bool | Unset): Formats numbers as is usual in their country, such as `+33 1 23 45 67 89` or
            `+1 201-555-0123`. Default: false.
    """

    country: str | Unset = UNSET
    format_: PhoneTypeOptionsFormat | Unset = UNSET
    output_formatted: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        country = self.country

        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_

        output_formatted = self.output_formatted

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if country is not UNSET:
            field_dict["country"] = country
        if format_ is not UNSET:
            field_dict["format"] = format_
        if output_formatted is not UNSET:
            field_dict["outputFormatted"] = output_formatted

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        country = d.pop("country", UNSET)

        _format_ = d.pop("format", UNSET)
        format_: PhoneTypeOptionsFormat | Unset
        if isinstance(_format_, Unset):
            format_ = UNSET
        else:
            format_ = check_phone_type_options_format(_format_)

        output_formatted = d.pop("outputFormatted", UNSET)

        phone_type_options = cls(
            country=country,
            format_=format_,
            output_formatted=output_formatted,
        )

        phone_type_options.additional_properties = d
        return phone_type_options

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
