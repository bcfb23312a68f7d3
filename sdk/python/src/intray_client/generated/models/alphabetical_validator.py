from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.alphabetical_validator_level import (
    AlphabeticalValidatorLevel,
    check_alphabetical_validator_level,
)
from ..models.alphabetical_validator_validate import (
    AlphabeticalValidatorValidate,
    check_alphabetical_validator_validate,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="AlphabeticalValidator")


@_attrs_define
class AlphabeticalValidator:
    """The validator alphabetical.

    Attributes:
        validate (AlphabeticalValidatorValidate): The name of the validator.
        error_message (str | Unset): Replaces the message of the validator.
        level (AlphabeticalValidatorLevel | Unset): The severity. Only an error makes a row invalid. Default: "error".
    """

    validate: AlphabeticalValidatorValidate
    error_message: str | Unset = UNSET
    level: AlphabeticalValidatorLevel | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        validate: str = self.validate

        error_message = self.error_message

        level: str | Unset = UNSET
        if not isinstance(self.level, Unset):
            level = self.level

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

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        validate = check_alphabetical_validator_validate(d.pop("validate"))

        error_message = d.pop("errorMessage", UNSET)

        _level = d.pop("level", UNSET)
        level: AlphabeticalValidatorLevel | Unset
        if isinstance(_level, Unset):
            level = UNSET
        else:
            level = check_alphabetical_validator_level(_level)

        alphabetical_validator = cls(
            validate=validate,
            error_message=error_message,
            level=level,
        )

        alphabetical_validator.additional_properties = d
        return alphabetical_validator

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
