from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.length_validator_level import (
    LengthValidatorLevel,
    check_length_validator_level,
)
from ..models.length_validator_validate import (
    LengthValidatorValidate,
    check_length_validator_validate,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="LengthValidator")


@_attrs_define
class LengthValidator:
    """The validator length.

    Attributes:
        validate (LengthValidatorValidate): The name of the validator.
        error_message (str | Unset): Replaces the message of the validator.
        level (LengthValidatorLevel | Unset): The severity. Only an error makes a row invalid. Default: "error".
        max_ (int | Unset): The maximum number of characters.
        min_ (int | Unset): The minimum number of characters.
    """

    validate: LengthValidatorValidate
    error_message: str | Unset = UNSET
    level: LengthValidatorLevel | Unset = UNSET
    max_: int | Unset = UNSET
    min_: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        validate: str = self.validate

        error_message = self.error_message

        level: str | Unset = UNSET
        if not isinstance(self.level, Unset):
            level = self.level

        max_ = self.max_

        min_ = self.min_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "validate": validate,
            }
        )
        if error_message is not UNSET:
            field_dict["errorMessage"] = error_message
        if level is not UNSET:
            field_dict["level"] = level
        if max_ is not UNSET:
            field_dict["max"] = max_
        if min_ is not UNSET:
            field_dict["min"] = min_

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        validate = check_length_validator_validate(d.pop("validate"))

        error_message = d.pop("errorMessage", UNSET)

        _level = d.pop("level", UNSET)
        level: LengthValidatorLevel | Unset
        if isinstance(_level, Unset):
            level = UNSET
        else:
            level = check_length_validator_level(_level)

        max_ = d.pop("max", UNSET)

        min_ = d.pop("min", UNSET)

        length_validator = cls(
            validate=validate,
            error_message=error_message,
            level=level,
            max_=max_,
            min_=min_,
        )

        length_validator.additional_properties = d
        return length_validator

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
