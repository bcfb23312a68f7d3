from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.number_format_base import NumberFormatBase, check_number_format_base
from ..models.number_format_currency_position import (
    NumberFormatCurrencyPosition,
    check_number_format_currency_position,
)
from ..models.number_format_force_average import (
    NumberFormatForceAverage,
    check_number_format_force_average,
)
from ..models.number_format_negative import (
    NumberFormatNegative,
    check_number_format_negative,
)
from ..models.number_format_output import NumberFormatOutput, check_number_format_output
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.number_format_abbreviations import NumberFormatAbbreviations


T = TypeVar("T", bound="NumberFormat")


@_attrs_define
class NumberFormat:
    """How numbers are formatted, as in Numbro.

    Attributes:
        abbreviations (NumberFormatAbbreviations | Unset): Abbreviations for thousand, million, billion and trillion,
            instead of k, m, b and t.
        average (bool | Unset): Abbreviates to thousands, millions, billions or trillions. Default: false.
        base (NumberFormatBase | Unset): The units for bytes: 1024 bytes are 1 KiB (binary), 1000 bytes are 1 KB
            (decimal), or 1024 bytes are 1 KB (general).
        characteristic (int | Unset): The minimum number of digits before the decimal point. Default: 0.
        currency_position (NumberFormatCurrencyPosition | Unset): The position of the currency symbol: before the
            number, in place of the decimal point, or after the number. Default: "prefix".
        currency_symbol (str | Unset): The currency symbol. Default: "$".
        exponential (bool | Unset): Uses exponential notation. Default: false.
        force_average (NumberFormatForceAverage | Unset): Abbreviates to this unit.
        force_sign (bool | Unset): Adds a + to positive numbers. Default: false.
        low_precision (bool | Unset): With `average`, also abbreviates numbers that are at least half of a unit: 500
            becomes 0.5k. For currencies, the default is false. Default: true.
        mantissa (int | Unset): The number of decimal places. Default: as many as needed.
        negative (NumberFormatNegative | Unset): How negative numbers are marked. Default: "sign".
        optional_characteristic (bool | Unset): Omits a zero before the decimal point. Default: false.
        optional_mantissa (bool | Unset): Omits decimal places if all are zero. Default: false.
        output (NumberFormatOutput | Unset): The kind of number. Default: "number".
        postfix (str | Unset): Text after the formatted number.
        prefix (str | Unset): Text before the formatted number.
        prefix_symbol (bool | Unset): Puts the percent sign before the number. Default: false.
        space_separated (bool | Unset): Adds a space between the number and its unit, abbreviation, ordinal suffix or
            percent sign. Default: false.
        space_separated_abbreviation (bool | Unset): Adds a space between an abbreviation and a currency symbol after
            it, if spaceSeparatedCurrency is set. Default: false.
        space_separated_currency (bool | Unset): Adds a space next to the currency symbol. Default: false.
        thousand_separated (bool | Unset): Adds commas as thousands separators. Default: false.
        total_length (int | Unset): Abbreviates the number to this total number of digits. Default: 0.
        trim_mantissa (bool | Unset): Omits trailing zeros. Default: false.
    """

    abbreviations: NumberFormatAbbreviations | Unset = UNSET
    average: bool | Unset = UNSET
    base: NumberFormatBase | Unset = UNSET
    characteristic: int | Unset = UNSET
    currency_position: NumberFormatCurrencyPosition | Unset = UNSET
    currency_symbol: str | Unset = UNSET
    exponential: bool | Unset = UNSET
    force_average: NumberFormatForceAverage | Unset = UNSET
    force_sign: bool | Unset = UNSET
    low_precision: bool | Unset = UNSET
    mantissa: int | Unset = UNSET
    negative: NumberFormatNegative | Unset = UNSET
    optional_characteristic: bool | Unset = UNSET
    optional_mantissa: bool | Unset = UNSET
    output: NumberFormatOutput | Unset = UNSET
    postfix: str | Unset = UNSET
    prefix: str | Unset = UNSET
    prefix_symbol: bool | Unset = UNSET
    space_separated: bool | Unset = UNSET
    space_separated_abbreviation: bool | Unset = UNSET
    space_separated_currency: bool | Unset = UNSET
    thousand_separated: bool | Unset = UNSET
    total_length: int | Unset = UNSET
    trim_mantissa: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        abbreviations: dict[str, Any] | Unset = UNSET
        if not isinstance(self.abbreviations, Unset):
            abbreviations = self.abbreviations.to_dict()

        average = self.average

        base: str | Unset = UNSET
        if not isinstance(self.base, Unset):
            base = self.base

        characteristic = self.characteristic

        currency_position: str | Unset = UNSET
        if not isinstance(self.currency_position, Unset):
            currency_position = self.currency_position

        currency_symbol = self.currency_symbol

        exponential = self.exponential

        force_average: str | Unset = UNSET
        if not isinstance(self.force_average, Unset):
            force_average = self.force_average

        force_sign = self.force_sign

        low_precision = self.low_precision

        mantissa = self.mantissa

        negative: str | Unset = UNSET
        if not isinstance(self.negative, Unset):
            negative = self.negative

        optional_characteristic = self.optional_characteristic

        optional_mantissa = self.optional_mantissa

        output: str | Unset = UNSET
        if not isinstance(self.output, Unset):
            output = self.output

        postfix = self.postfix

        prefix = self.prefix

        prefix_symbol = self.prefix_symbol

        space_separated = self.space_separated

        space_separated_abbreviation = self.space_separated_abbreviation

        space_separated_currency = self.space_separated_currency

        thousand_separated = self.thousand_separated

        total_length = self.total_length

        trim_mantissa = self.trim_mantissa

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if abbreviations is not UNSET:
            field_dict["abbreviations"] = abbreviations
        if average is not UNSET:
            field_dict["average"] = average
        if base is not UNSET:
            field_dict["base"] = base
        if characteristic is not UNSET:
            field_dict["characteristic"] = characteristic
        if currency_position is not UNSET:
            field_dict["currencyPosition"] = currency_position
        if currency_symbol is not UNSET:
            field_dict["currencySymbol"] = currency_symbol
        if exponential is not UNSET:
            field_dict["exponential"] = exponential
        if force_average is not UNSET:
            field_dict["forceAverage"] = force_average
        if force_sign is not UNSET:
            field_dict["forceSign"] = force_sign
        if low_precision is not UNSET:
            field_dict["lowPrecision"] = low_precision
        if mantissa is not UNSET:
            field_dict["mantissa"] = mantissa
        if negative is not UNSET:
            field_dict["negative"] = negative
        if optional_characteristic is not UNSET:
            field_dict["optionalCharacteristic"] = optional_characteristic
        if optional_mantissa is not UNSET:
            field_dict["optionalMantissa"] = optional_mantissa
        if output is not UNSET:
            field_dict["output"] = output
        if postfix is not UNSET:
            field_dict["postfix"] = postfix
        if prefix is not UNSET:
            field_dict["prefix"] = prefix
        if prefix_symbol is not UNSET:
            field_dict["prefixSymbol"] = prefix_symbol
        if space_separated is not UNSET:
            field_dict["spaceSeparated"] = space_separated
        if space_separated_abbreviation is not UNSET:
            field_dict["spaceSeparatedAbbreviation"] = space_separated_abbreviation
        if space_separated_currency is not UNSET:
            field_dict["spaceSeparatedCurrency"] = space_separated_currency
        if thousand_separated is not UNSET:
            field_dict["thousandSeparated"] = thousand_separated
        if total_length is not UNSET:
            field_dict["totalLength"] = total_length
        if trim_mantissa is not UNSET:
            field_dict["trimMantissa"] = trim_mantissa

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.number_format_abbreviations import NumberFormatAbbreviations

        d = dict(src_dict)
        _abbreviations = d.pop("abbreviations", UNSET)
        abbreviations: NumberFormatAbbreviations | Unset
        if isinstance(_abbreviations, Unset):
            abbreviations = UNSET
        else:
            abbreviations = NumberFormatAbbreviations.from_dict(_abbreviations)

        average = d.pop("average", UNSET)

        _base = d.pop("base", UNSET)
        base: NumberFormatBase | Unset
        if isinstance(_base, Unset):
            base = UNSET
        else:
            base = check_number_format_base(_base)

        characteristic = d.pop("characteristic", UNSET)

        _currency_position = d.pop("currencyPosition", UNSET)
        currency_position: NumberFormatCurrencyPosition | Unset
        if isinstance(_currency_position, Unset):
            currency_position = UNSET
        else:
            currency_position = check_number_format_currency_position(_currency_position)

        currency_symbol = d.pop("currencySymbol", UNSET)

        exponential = d.pop("exponential", UNSET)

        _force_average = d.pop("forceAverage", UNSET)
        force_average: NumberFormatForceAverage | Unset
        if isinstance(_force_average, Unset):
            force_average = UNSET
        else:
            force_average = check_number_format_force_average(_force_average)

        force_sign = d.pop("forceSign", UNSET)

        low_precision = d.pop("lowPrecision", UNSET)

        mantissa = d.pop("mantissa", UNSET)

        _negative = d.pop("negative", UNSET)
        negative: NumberFormatNegative | Unset
        if isinstance(_negative, Unset):
            negative = UNSET
        else:
            negative = check_number_format_negative(_negative)

        optional_characteristic = d.pop("optionalCharacteristic", UNSET)

        optional_mantissa = d.pop("optionalMantissa", UNSET)

        _output = d.pop("output", UNSET)
        output: NumberFormatOutput | Unset
        if isinstance(_output, Unset):
            output = UNSET
        else:
            output = check_number_format_output(_output)

        postfix = d.pop("postfix", UNSET)

        prefix = d.pop("prefix", UNSET)

        prefix_symbol = d.pop("prefixSymbol", UNSET)

        space_separated = d.pop("spaceSeparated", UNSET)

        space_separated_abbreviation = d.pop("spaceSeparatedAbbreviation", UNSET)

        space_separated_currency = d.pop("spaceSeparatedCurrency", UNSET)

        thousand_separated = d.pop("thousandSeparated", UNSET)

        total_length = d.pop("totalLength", UNSET)

        trim_mantissa = d.pop("trimMantissa", UNSET)

        number_format = cls(
            abbreviations=abbreviations,
            average=average,
            base=base,
            characteristic=characteristic,
            currency_position=currency_position,
            currency_symbol=currency_symbol,
            exponential=exponential,
            force_average=force_average,
            force_sign=force_sign,
            low_precision=low_precision,
            mantissa=mantissa,
            negative=negative,
            optional_characteristic=optional_characteristic,
            optional_mantissa=optional_mantissa,
            output=output,
            postfix=postfix,
            prefix=prefix,
            prefix_symbol=prefix_symbol,
            space_separated=space_separated,
            space_separated_abbreviation=space_separated_abbreviation,
            space_separated_currency=space_separated_currency,
            thousand_separated=thousand_separated,
            total_length=total_length,
            trim_mantissa=trim_mantissa,
        )

        number_format.additional_properties = d
        return number_format

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
