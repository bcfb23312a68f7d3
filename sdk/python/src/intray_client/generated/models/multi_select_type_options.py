from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="MultiSelectTypeOptions")


@_attrs_define
class MultiSelectTypeOptions:
    """The options of the type multi-select.

    Attributes:
        delimiter (str | Unset): Separates the values of a cell. Default: ",".
        trim_values (bool | Unset): Removes white space around each value. Default: true.
    """

    delimiter: str | Unset = UNSET
    trim_values: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        delimiter = self.delimiter

        trim_values = self.trim_values

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if delimiter is not UNSET:
            field_dict["delimiter"] = delimiter
        if trim_values is not UNSET:
            field_dict["trimValues"] = trim_values

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        delimiter = d.pop("delimiter", UNSET)

        trim_values = d.pop("trimValues", UNSET)

        multi_select_type_options = cls(
            delimiter=delimiter,
            trim_values=trim_values,
        )

        multi_select_type_options.additional_properties = d
        return multi_select_type_options

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
