from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="TimeTypeOptions")


@_attrs_define
class TimeTypeOptions:
    """The options of the type time.

    Attributes:
        display_format (str | Unset): The format in which people see values, in Luxon tokens. Cells in this format are
            also accepted.
        locale (str | Unset): The language and country for reading and displaying values. If this option is set, Intray
            uses it to read ambiguous values. Default: "en-US".
        output_format (str | Unset): The format of values in the result, in Luxon tokens. Default: "[ISO]".
        with_seconds (bool | Unset): Keeps the seconds of times. In a `date` field, this option has no effect. Default:
            false.
    """

    display_format: str | Unset = UNSET
    locale: str | Unset = UNSET
    output_format: str | Unset = UNSET
    with_seconds: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        display_format = self.display_format

        locale = self.locale

        output_format = self.output_format

        with_seconds = self.with_seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if display_format is not UNSET:
            field_dict["displayFormat"] = display_format
        if locale is not UNSET:
            field_dict["locale"] = locale
        if output_format is not UNSET:
            field_dict["outputFormat"] = output_format
        if with_seconds is not UNSET:
            field_dict["withSeconds"] = with_seconds

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        display_format = d.pop("displayFormat", UNSET)

        locale = d.pop("locale", UNSET)

        output_format = d.pop("outputFormat", UNSET)

        with_seconds = d.pop("withSeconds", UNSET)

        time_type_options = cls(
            display_format=display_format,
            locale=locale,
            output_format=output_format,
            with_seconds=with_seconds,
        )

        time_type_options.additional_properties = d
        return time_type_options

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
