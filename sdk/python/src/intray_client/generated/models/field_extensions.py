from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.field_extensions_descriptions import FieldExtensionsDescriptions
    from ..models.field_extensions_labels import FieldExtensionsLabels


T = TypeVar("T", bound="FieldExtensions")


@_attrs_define
class FieldExtensions:
    """The extensions of a field.

    Attributes:
        descriptions (FieldExtensionsDescriptions | Unset): The description in other languages, by language tag (BCP
            47).
        labels (FieldExtensionsLabels | Unset): The label in other languages, by language tag (BCP 47). Headers are
            compared with these labels, too.
        lenient (bool | Unset): Only for checkbox. If true, all text is true, except 0, off, n, no, false and disabled.
            Default: false.
        missing_values (list[str] | Unset): The texts that mean an empty cell, in any case. They replace the markers
            that Intray knows. An empty list means none.
    """

    descriptions: FieldExtensionsDescriptions | Unset = UNSET
    labels: FieldExtensionsLabels | Unset = UNSET
    lenient: bool | Unset = UNSET
    missing_values: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        descriptions: dict[str, Any] | Unset = UNSET
        if not isinstance(self.descriptions, Unset):
            descriptions = self.descriptions.to_dict()

        labels: dict[str, Any] | Unset = UNSET
        if not isinstance(self.labels, Unset):
            labels = self.labels.to_dict()

        lenient = self.lenient

        missing_values: list[str] | Unset = UNSET
        if not isinstance(self.missing_values, Unset):
            missing_values = self.missing_values

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if descriptions is not UNSET:
            field_dict["descriptions"] = descriptions
        if labels is not UNSET:
            field_dict["labels"] = labels
        if lenient is not UNSET:
            field_dict["lenient"] = lenient
        if missing_values is not UNSET:
            field_dict["missingValues"] = missing_values

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.field_extensions_descriptions import FieldExtensionsDescriptions
        from ..models.field_extensions_labels import FieldExtensionsLabels

        d = dict(src_dict)
        _descriptions = d.pop("descriptions", UNSET)
        descriptions: FieldExtensionsDescriptions | Unset
        if isinstance(_descriptions, Unset):
            descriptions = UNSET
        else:
            descriptions = FieldExtensionsDescriptions.from_dict(_descriptions)

        _labels = d.pop("labels", UNSET)
        labels: FieldExtensionsLabels | Unset
        if isinstance(_labels, Unset):
            labels = UNSET
        else:
            labels = FieldExtensionsLabels.from_dict(_labels)

        lenient = d.pop("lenient", UNSET)

        missing_values = cast(list[str], d.pop("missingValues", UNSET))

        field_extensions = cls(
            descriptions=descriptions,
            labels=labels,
            lenient=lenient,
            missing_values=missing_values,
        )

        field_extensions.additional_properties = d
        return field_extensions

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
