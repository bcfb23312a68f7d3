from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.field_type_name import FieldTypeName, check_field_type_name
from ..models.number_preset import NumberPreset, check_number_preset
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.alphabetical_validator import AlphabeticalValidator
    from ..models.country_type_options import CountryTypeOptions
    from ..models.date_type_options import DateTypeOptions
    from ..models.datetime_type_options import DatetimeTypeOptions
    from ..models.domain_type_options import DomainTypeOptions
    from ..models.length_validator import LengthValidator
    from ..models.multi_select_type_options import MultiSelectTypeOptions
    from ..models.no_type_options import NoTypeOptions
    from ..models.number_type_options import NumberTypeOptions
    from ..models.phone_type_options import PhoneTypeOptions
    from ..models.regex_exclude_validator import RegexExcludeValidator
    from ..models.regex_match_validator import RegexMatchValidator
    from ..models.require_with_all_validator import RequireWithAllValidator
    from ..models.require_with_all_values_validator import RequireWithAllValuesValidator
    from ..models.require_with_validator import RequireWithValidator
    from ..models.require_with_values_validator import RequireWithValuesValidator
    from ..models.require_without_all_validator import RequireWithoutAllValidator
    from ..models.require_without_all_values_validator import (
        RequireWithoutAllValuesValidator,
    )
    from ..models.require_without_validator import RequireWithoutValidator
    from ..models.require_without_values_validator import RequireWithoutValuesValidator
    from ..models.required_validator import RequiredValidator
    from ..models.select_option import SelectOption
    from ..models.select_type_options import SelectTypeOptions
    from ..models.ssn_type_options import SSNTypeOptions
    from ..models.time_type_options import TimeTypeOptions
    from ..models.unique_case_insensitive_validator import UniqueCaseInsensitiveValidator
    from ..models.unique_validator import UniqueValidator
    from ..models.unique_with_validator import UniqueWithValidator
    from ..models.url_type_options import URLTypeOptions
    from ..models.uuid_type_options import UUIDTypeOptions
    from ..models.zip_type_options import ZipTypeOptions


T = TypeVar("T", bound="Field")


@_attrs_define
class Field:
    """A field of a schema.

    Attributes:
        key (str): The name of the field in the result. It must be unique in the schema and have at most 255 bytes.
        label (str): The name that people see. Intray compares headers with it.
        alternate_matches (list[str] | Unset): Other headers that match the field.
        description (str | Unset): Help text.
        hidden (bool | Unset): Excludes the field from mapping and review. Only hooks can fill it. It cannot have
            validators. Default: false.
        invalid_value_message (str | Unset): Replaces the error message of the type.
        many_to_one (bool | Unset): Allows several columns to map to the field. The value of the field is a list.
            Default: false.
        read_only (bool | Unset): Prevents people from editing the cells. Hooks can still change them. Default: false.
        require_mapping (bool | Unset): Requires a column for the field, even if its cells can be empty. If no column
            matches, the import needs review. Default: false.
        select_options (list[SelectOption] | Unset): The options of a select or multi-select field.
        type_ (FieldTypeName | list[CountryTypeOptions | DatetimeTypeOptions | DateTypeOptions | DomainTypeOptions |
            FieldTypeName | MultiSelectTypeOptions | NoTypeOptions | NumberPreset | NumberTypeOptions | PhoneTypeOptions |
            SelectTypeOptions | SSNTypeOptions | TimeTypeOptions | URLTypeOptions | UUIDTypeOptions | ZipTypeOptions] |
            Unset): The type of a field: its name, or an array of its name and its options.
        validators (list[AlphabeticalValidator | LengthValidator | RegexExcludeValidator | RegexMatchValidator |
            RequiredValidator | RequireWithAllValidator | RequireWithAllValuesValidator | RequireWithoutAllValidator |
            RequireWithoutAllValuesValidator | RequireWithoutValidator | RequireWithoutValuesValidator |
            RequireWithValidator | RequireWithValuesValidator | UniqueCaseInsensitiveValidator | UniqueValidator |
            UniqueWithValidator] | Unset): The rules that the cells of the field must satisfy.
    """

    key: str
    label: str
    alternate_matches: list[str] | Unset = UNSET
    description: str | Unset = UNSET
    hidden: bool | Unset = UNSET
    invalid_value_message: str | Unset = UNSET
    many_to_one: bool | Unset = UNSET
    read_only: bool | Unset = UNSET
    require_mapping: bool | Unset = UNSET
    select_options: list[SelectOption] | Unset = UNSET
    type_: (
        FieldTypeName
        | list[
            CountryTypeOptions
            | DatetimeTypeOptions
            | DateTypeOptions
            | DomainTypeOptions
            | FieldTypeName
            | MultiSelectTypeOptions
            | NoTypeOptions
            | NumberPreset
            | NumberTypeOptions
            | PhoneTypeOptions
            | SelectTypeOptions
            | SSNTypeOptions
            | TimeTypeOptions
            | URLTypeOptions
            | UUIDTypeOptions
            | ZipTypeOptions
        ]
        | Unset
    ) = UNSET
    validators: (
        list[
            AlphabeticalValidator
            | LengthValidator
            | RegexExcludeValidator
            | RegexMatchValidator
            | RequiredValidator
            | RequireWithAllValidator
            | RequireWithAllValuesValidator
            | RequireWithoutAllValidator
            | RequireWithoutAllValuesValidator
            | RequireWithoutValidator
            | RequireWithoutValuesValidator
            | RequireWithValidator
            | RequireWithValuesValidator
            | UniqueCaseInsensitiveValidator
            | UniqueValidator
            | UniqueWithValidator
        ]
        | Unset
    ) = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.country_type_options import CountryTypeOptions
        from ..models.date_type_options import DateTypeOptions
        from ..models.datetime_type_options import DatetimeTypeOptions
        from ..models.domain_type_options import DomainTypeOptions
        from ..models.length_validator import LengthValidator
        from ..models.multi_select_type_options import MultiSelectTypeOptions
        from ..models.no_type_options import NoTypeOptions
        from ..models.number_type_options import NumberTypeOptions
        from ..models.phone_type_options import PhoneTypeOptions
        from ..models.regex_exclude_validator import RegexExcludeValidator
        from ..models.regex_match_validator import RegexMatchValidator
        from ..models.require_with_all_validator import RequireWithAllValidator
        from ..models.require_with_all_values_validator import (
            RequireWithAllValuesValidator,
        )
        from ..models.require_with_validator import RequireWithValidator
        from ..models.require_with_values_validator import RequireWithValuesValidator
        from ..models.require_without_all_validator import RequireWithoutAllValidator
        from ..models.require_without_all_values_validator import (
            RequireWithoutAllValuesValidator,
        )
        from ..models.require_without_validator import RequireWithoutValidator
        from ..models.require_without_values_validator import (
            RequireWithoutValuesValidator,
        )
        from ..models.required_validator import RequiredValidator
        from ..models.select_type_options import SelectTypeOptions
        from ..models.ssn_type_options import SSNTypeOptions
        from ..models.time_type_options import TimeTypeOptions
        from ..models.unique_case_insensitive_validator import (
            UniqueCaseInsensitiveValidator,
        )
        from ..models.unique_validator import UniqueValidator
        from ..models.unique_with_validator import UniqueWithValidator
        from ..models.url_type_options import URLTypeOptions
        from ..models.zip_type_options import ZipTypeOptions

        key = self.key

        label = self.label

        alternate_matches: list[str] | Unset = UNSET
        if not isinstance(self.alternate_matches, Unset):
            alternate_matches = self.alternate_matches

        description = self.description

        hidden = self.hidden

        invalid_value_message = self.invalid_value_message

        many_to_one = self.many_to_one

        read_only = self.read_only

        require_mapping = self.require_mapping

        select_options: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.select_options, Unset):
            select_options = []
            for select_options_item_data in self.select_options:
                select_options_item = select_options_item_data.to_dict()
                select_options.append(select_options_item)

        type_: list[dict[str, Any] | str] | str | Unset
        if isinstance(self.type_, Unset):
            type_ = UNSET
        elif isinstance(self.type_, str):
            type_ = self.type_
        else:
            type_ = []
            for componentsschemas_field_type_type_1_item_data in self.type_:
                componentsschemas_field_type_type_1_item: dict[str, Any] | str
                if isinstance(componentsschemas_field_type_type_1_item_data, str):
                    componentsschemas_field_type_type_1_item = componentsschemas_field_type_type_1_item_data
                elif isinstance(componentsschemas_field_type_type_1_item_data, NoTypeOptions):
                    componentsschemas_field_type_type_1_item = componentsschemas_field_type_type_1_item_data.to_dict()
                elif isinstance(componentsschemas_field_type_type_1_item_data, str):
                    componentsschemas_field_type_type_1_item = componentsschemas_field_type_type_1_item_data
                elif (
                    isinstance(componentsschemas_field_type_type_1_item_data, NumberTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, DateTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, DatetimeTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, TimeTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, SelectTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, MultiSelectTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, PhoneTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, URLTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, DomainTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, ZipTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, SSNTypeOptions)
                    or isinstance(componentsschemas_field_type_type_1_item_data, CountryTypeOptions)
                ):
                    componentsschemas_field_type_type_1_item = componentsschemas_field_type_type_1_item_data.to_dict()
                else:
                    componentsschemas_field_type_type_1_item = componentsschemas_field_type_type_1_item_data.to_dict()

                type_.append(componentsschemas_field_type_type_1_item)

        validators: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.validators, Unset):
            validators = []
            for validators_item_data in self.validators:
                validators_item: dict[str, Any]
                if (
                    isinstance(validators_item_data, RequiredValidator)
                    or isinstance(validators_item_data, UniqueValidator)
                    or isinstance(validators_item_data, UniqueCaseInsensitiveValidator)
                    or isinstance(validators_item_data, UniqueWithValidator)
                    or isinstance(validators_item_data, RegexMatchValidator)
                    or isinstance(validators_item_data, RegexExcludeValidator)
                    or isinstance(validators_item_data, RequireWithValidator)
                    or isinstance(validators_item_data, RequireWithoutValidator)
                    or isinstance(validators_item_data, RequireWithAllValidator)
                    or isinstance(validators_item_data, RequireWithoutAllValidator)
                    or isinstance(validators_item_data, RequireWithValuesValidator)
                    or isinstance(validators_item_data, RequireWithoutValuesValidator)
                    or isinstance(validators_item_data, RequireWithAllValuesValidator)
                    or isinstance(validators_item_data, RequireWithoutAllValuesValidator)
                    or isinstance(validators_item_data, LengthValidator)
                ):
                    validators_item = validators_item_data.to_dict()
                else:
                    validators_item = validators_item_data.to_dict()

                validators.append(validators_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "key": key,
                "label": label,
            }
        )
        if alternate_matches is not UNSET:
            field_dict["alternateMatches"] = alternate_matches
        if description is not UNSET:
            field_dict["description"] = description
        if hidden is not UNSET:
            field_dict["hidden"] = hidden
        if invalid_value_message is not UNSET:
            field_dict["invalidValueMessage"] = invalid_value_message
        if many_to_one is not UNSET:
            field_dict["manyToOne"] = many_to_one
        if read_only is not UNSET:
            field_dict["readOnly"] = read_only
        if require_mapping is not UNSET:
            field_dict["requireMapping"] = require_mapping
        if select_options is not UNSET:
            field_dict["selectOptions"] = select_options
        if type_ is not UNSET:
            field_dict["type"] = type_
        if validators is not UNSET:
            field_dict["validators"] = validators

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.alphabetical_validator import AlphabeticalValidator
        from ..models.country_type_options import CountryTypeOptions
        from ..models.date_type_options import DateTypeOptions
        from ..models.datetime_type_options import DatetimeTypeOptions
        from ..models.domain_type_options import DomainTypeOptions
        from ..models.length_validator import LengthValidator
        from ..models.multi_select_type_options import MultiSelectTypeOptions
        from ..models.no_type_options import NoTypeOptions
        from ..models.number_type_options import NumberTypeOptions
        from ..models.phone_type_options import PhoneTypeOptions
        from ..models.regex_exclude_validator import RegexExcludeValidator
        from ..models.regex_match_validator import RegexMatchValidator
        from ..models.require_with_all_validator import RequireWithAllValidator
        from ..models.require_with_all_values_validator import (
            RequireWithAllValuesValidator,
        )
        from ..models.require_with_validator import RequireWithValidator
        from ..models.require_with_values_validator import RequireWithValuesValidator
        from ..models.require_without_all_validator import RequireWithoutAllValidator
        from ..models.require_without_all_values_validator import (
            RequireWithoutAllValuesValidator,
        )
        from ..models.require_without_validator import RequireWithoutValidator
        from ..models.require_without_values_validator import (
            RequireWithoutValuesValidator,
        )
        from ..models.required_validator import RequiredValidator
        from ..models.select_option import SelectOption
        from ..models.select_type_options import SelectTypeOptions
        from ..models.ssn_type_options import SSNTypeOptions
        from ..models.time_type_options import TimeTypeOptions
        from ..models.unique_case_insensitive_validator import (
            UniqueCaseInsensitiveValidator,
        )
        from ..models.unique_validator import UniqueValidator
        from ..models.unique_with_validator import UniqueWithValidator
        from ..models.url_type_options import URLTypeOptions
        from ..models.uuid_type_options import UUIDTypeOptions
        from ..models.zip_type_options import ZipTypeOptions

        d = dict(src_dict)
        key = d.pop("key")

        label = d.pop("label")

        alternate_matches = cast(list[str], d.pop("alternateMatches", UNSET))

        description = d.pop("description", UNSET)

        hidden = d.pop("hidden", UNSET)

        invalid_value_message = d.pop("invalidValueMessage", UNSET)

        many_to_one = d.pop("manyToOne", UNSET)

        read_only = d.pop("readOnly", UNSET)

        require_mapping = d.pop("requireMapping", UNSET)

        _select_options = d.pop("selectOptions", UNSET)
        select_options: list[SelectOption] | Unset = UNSET
        if _select_options is not UNSET:
            select_options = []
            for select_options_item_data in _select_options:
                select_options_item = SelectOption.from_dict(select_options_item_data)

                select_options.append(select_options_item)

        def _parse_type_(
            data: object,
        ) -> (
            FieldTypeName
            | list[
                CountryTypeOptions
                | DatetimeTypeOptions
                | DateTypeOptions
                | DomainTypeOptions
                | FieldTypeName
                | MultiSelectTypeOptions
                | NoTypeOptions
                | NumberPreset
                | NumberTypeOptions
                | PhoneTypeOptions
                | SelectTypeOptions
                | SSNTypeOptions
                | TimeTypeOptions
                | URLTypeOptions
                | UUIDTypeOptions
                | ZipTypeOptions
            ]
            | Unset
        ):
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                componentsschemas_field_type_type_0 = check_field_type_name(data)

                return componentsschemas_field_type_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, list):
                raise TypeError()
            componentsschemas_field_type_type_1 = []
            _componentsschemas_field_type_type_1 = data
            for componentsschemas_field_type_type_1_item_data in _componentsschemas_field_type_type_1:

                def _parse_componentsschemas_field_type_type_1_item(
                    data: object,
                ) -> (
                    CountryTypeOptions
                    | DatetimeTypeOptions
                    | DateTypeOptions
                    | DomainTypeOptions
                    | FieldTypeName
                    | MultiSelectTypeOptions
                    | NoTypeOptions
                    | NumberPreset
                    | NumberTypeOptions
                    | PhoneTypeOptions
                    | SelectTypeOptions
                    | SSNTypeOptions
                    | TimeTypeOptions
                    | URLTypeOptions
                    | UUIDTypeOptions
                    | ZipTypeOptions
                ):
                    try:
                        if not isinstance(data, str):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_0 = check_field_type_name(data)

                        return componentsschemas_field_type_type_1_item_type_0
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_1 = NoTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_1
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, str):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_2 = check_number_preset(data)

                        return componentsschemas_field_type_type_1_item_type_2
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_3 = NumberTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_3
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_4 = DateTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_4
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_5 = DatetimeTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_5
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_6 = TimeTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_6
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_7 = SelectTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_7
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_8 = MultiSelectTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_8
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_9 = PhoneTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_9
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_10 = URLTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_10
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_11 = DomainTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_11
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_12 = ZipTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_12
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_13 = SSNTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_13
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_field_type_type_1_item_type_14 = CountryTypeOptions.from_dict(data)

                        return componentsschemas_field_type_type_1_item_type_14
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_field_type_type_1_item_type_15 = UUIDTypeOptions.from_dict(data)

                    return componentsschemas_field_type_type_1_item_type_15

                componentsschemas_field_type_type_1_item = _parse_componentsschemas_field_type_type_1_item(
                    componentsschemas_field_type_type_1_item_data
                )

                componentsschemas_field_type_type_1.append(componentsschemas_field_type_type_1_item)

            return componentsschemas_field_type_type_1

        type_ = _parse_type_(d.pop("type", UNSET))

        _validators = d.pop("validators", UNSET)
        validators: (
            list[
                AlphabeticalValidator
                | LengthValidator
                | RegexExcludeValidator
                | RegexMatchValidator
                | RequiredValidator
                | RequireWithAllValidator
                | RequireWithAllValuesValidator
                | RequireWithoutAllValidator
                | RequireWithoutAllValuesValidator
                | RequireWithoutValidator
                | RequireWithoutValuesValidator
                | RequireWithValidator
                | RequireWithValuesValidator
                | UniqueCaseInsensitiveValidator
                | UniqueValidator
                | UniqueWithValidator
            ]
            | Unset
        ) = UNSET
        if _validators is not UNSET:
            validators = []
            for validators_item_data in _validators:

                def _parse_validators_item(
                    data: object,
                ) -> (
                    AlphabeticalValidator
                    | LengthValidator
                    | RegexExcludeValidator
                    | RegexMatchValidator
                    | RequiredValidator
                    | RequireWithAllValidator
                    | RequireWithAllValuesValidator
                    | RequireWithoutAllValidator
                    | RequireWithoutAllValuesValidator
                    | RequireWithoutValidator
                    | RequireWithoutValuesValidator
                    | RequireWithValidator
                    | RequireWithValuesValidator
                    | UniqueCaseInsensitiveValidator
                    | UniqueValidator
                    | UniqueWithValidator
                ):
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_0 = RequiredValidator.from_dict(data)

                        return componentsschemas_validator_type_0
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_1 = UniqueValidator.from_dict(data)

                        return componentsschemas_validator_type_1
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_2 = UniqueCaseInsensitiveValidator.from_dict(data)

                        return componentsschemas_validator_type_2
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_3 = UniqueWithValidator.from_dict(data)

                        return componentsschemas_validator_type_3
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_4 = RegexMatchValidator.from_dict(data)

                        return componentsschemas_validator_type_4
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_5 = RegexExcludeValidator.from_dict(data)

                        return componentsschemas_validator_type_5
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_6 = RequireWithValidator.from_dict(data)

                        return componentsschemas_validator_type_6
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_7 = RequireWithoutValidator.from_dict(data)

                        return componentsschemas_validator_type_7
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_8 = RequireWithAllValidator.from_dict(data)

                        return componentsschemas_validator_type_8
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_9 = RequireWithoutAllValidator.from_dict(data)

                        return componentsschemas_validator_type_9
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_10 = RequireWithValuesValidator.from_dict(data)

                        return componentsschemas_validator_type_10
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_11 = RequireWithoutValuesValidator.from_dict(data)

                        return componentsschemas_validator_type_11
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_12 = RequireWithAllValuesValidator.from_dict(data)

                        return componentsschemas_validator_type_12
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_13 = RequireWithoutAllValuesValidator.from_dict(data)

                        return componentsschemas_validator_type_13
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    try:
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_validator_type_14 = LengthValidator.from_dict(data)

                        return componentsschemas_validator_type_14
                    except (TypeError, ValueError, AttributeError, KeyError):
                        pass
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_validator_type_15 = AlphabeticalValidator.from_dict(data)

                    return componentsschemas_validator_type_15

                validators_item = _parse_validators_item(validators_item_data)

                validators.append(validators_item)

        field = cls(
            key=key,
            label=label,
            alternate_matches=alternate_matches,
            description=description,
            hidden=hidden,
            invalid_value_message=invalid_value_message,
            many_to_one=many_to_one,
            read_only=read_only,
            require_mapping=require_mapping,
            select_options=select_options,
            type_=type_,
            validators=validators,
        )

        field.additional_properties = d
        return field

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
