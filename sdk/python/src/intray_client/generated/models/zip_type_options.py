from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.zip_type_options_format import (
    ZipTypeOptionsFormat,
    check_zip_type_options_format,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="ZipTypeOptions")


@_attrs_define
class ZipTypeOptions:
    """The options of the type zip.

    Attributes:
        format_ (ZipTypeOptionsFormat | Unset): The number of digits. Default: "5-digit".
        output_dash (bool | Unset): Formats nine digits with a dash. Default: false.
    """

    format_: ZipTypeOptionsFormat | Unset = UNSET
    output_dash: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_

        output_dash = self.output_dash

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if format_ is not UNSET:
            field_dict["format"] = format_
        if output_dash is not UNSET:
            field_dict["outputDash"] = output_dash

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        _format_ = d.pop("format", UNSET)
        format_: ZipTypeOptionsFormat | Unset
        if isinstance(_format_, Unset):
            format_ = UNSET
        else:
            format_ = check_zip_type_options_format(_format_)

        output_dash = d.pop("outputDash", UNSET)

        zip_type_options = cls(
            format_=format_,
            output_dash=output_dash,
        )

        zip_type_options.additional_properties = d
        return zip_type_options

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
