from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.number_preset import NumberPreset, check_number_preset
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.number_format import NumberFormat


T = TypeVar("T", bound="NumberTypeOptions")


@_attrs_define
class NumberTypeOptions:
    """The options of the type number.

    Attributes:
        display_format (NumberFormat | Unset): How numbers are formatted, as in Numbro.
        max_ (float | Unset): The largest accepted number.
        min_ (float | Unset): The smallest accepted number.
        output_format (NumberFormat | Unset): How numbers are formatted, as in Numbro.
        preset (NumberPreset | Unset): A named format, which determines rounding, display and currency.
        round_ (int | Unset): The number of decimal places. A negative value rounds to the left of the decimal point: -2
            rounds to hundreds. Intray rounds a number before it checks min and max.
    """

    display_format: NumberFormat | Unset = UNSET
    max_: float | Unset = UNSET
    min_: float | Unset = UNSET
    output_format: NumberFormat | Unset = UNSET
    preset: NumberPreset | Unset = UNSET
    round_: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        display_format: dict[str, Any] | Unset = UNSET
        if not isinstance(self.display_format, Unset):
            display_format = self.display_format.to_dict()

        max_ = self.max_

        min_ = self.min_

        output_format: dict[str, Any] | Unset = UNSET
        if not isinstance(self.output_format, Unset):
            output_format = self.output_format.to_dict()

        preset: str | Unset = UNSET
        if not isinstance(self.preset, Unset):
            preset = self.preset

        round_ = self.round_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if display_format is not UNSET:
            field_dict["displayFormat"] = display_format
        if max_ is not UNSET:
            field_dict["max"] = max_
        if min_ is not UNSET:
            field_dict["min"] = min_
        if output_format is not UNSET:
            field_dict["outputFormat"] = output_format
        if preset is not UNSET:
            field_dict["preset"] = preset
        if round_ is not UNSET:
            field_dict["round"] = round_

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.number_format import NumberFormat

        d = dict(src_dict)
        _display_format = d.pop("displayFormat", UNSET)
        display_format: NumberFormat | Unset
        if isinstance(_display_format, Unset):
            display_format = UNSET
        else:
            display_format = NumberFormat.from_dict(_display_format)

        max_ = d.pop("max", UNSET)

        min_ = d.pop("min", UNSET)

        _output_format = d.pop("outputFormat", UNSET)
        output_format: NumberFormat | Unset
        if isinstance(_output_format, Unset):
            output_format = UNSET
        else:
            output_format = NumberFormat.from_dict(_output_format)

        _preset = d.pop("preset", UNSET)
        preset: NumberPreset | Unset
        if isinstance(_preset, Unset):
            preset = UNSET
        else:
            preset = check_number_preset(_preset)

        round_ = d.pop("round", UNSET)

        number_type_options = cls(
            display_format=display_format,
            max_=max_,
            min_=min_,
            output_format=output_format,
            preset=preset,
            round_=round_,
        )

        number_type_options.additional_properties = d
        return number_type_options

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
