from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="RegexOptions")


@_attrs_define
class RegexOptions:
    """The flags of a regular expression.

    Attributes:
        dot_all (bool | Unset): Lets a dot also match line breaks (the `s` flag). Default: false.
        ignore_case (bool | Unset): Ignores case (the `i` flag). Default: false.
        multiline (bool | Unset): Lets `^` and `$` also match at line breaks (the `m` flag). Default: false.
        unicode (bool | Unset): Matches code points and supports `\\p{…}` (the `u` flag). Default: false.
    """

    dot_all: bool | Unset = UNSET
    ignore_case: bool | Unset = UNSET
    multiline: bool | Unset = UNSET
    unicode: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        dot_all = self.dot_all

        ignore_case = self.ignore_case

        multiline = self.multiline

        unicode = self.unicode

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if dot_all is not UNSET:
            field_dict["dotAll"] = dot_all
        if ignore_case is not UNSET:
            field_dict["ignoreCase"] = ignore_case
        if multiline is not UNSET:
            field_dict["multiline"] = multiline
        if unicode is not UNSET:
            field_dict["unicode"] = unicode

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        dot_all = d.pop("dotAll", UNSET)

        ignore_case = d.pop("ignoreCase", UNSET)

        multiline = d.pop("multiline", UNSET)

        unicode = d.pop("unicode", UNSET)

        regex_options = cls(
            dot_all=dot_all,
            ignore_case=ignore_case,
            multiline=multiline,
            unicode=unicode,
        )

        regex_options.additional_properties = d
        return regex_options

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
