from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.require_with_values_validator_level import (
    RequireWithValuesValidatorLevel,
    check_require_with_values_validator_level,
)
from ..models.require_with_values_validator_validate import (
    RequireWithValuesValidatorValidate,
    check_require_with_values_validator_validate,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.require_with_values_validator_field_values import (
        RequireWithValuesValidatorFieldValues,
    )


T = TypeVar("T", bound="RequireWithValuesValidator")


@_attrs_define
class RequireWithValuesValidator:
    """The validator require_with_values.

    Attributes:
        field_values (RequireWithValuesValidatorFieldValues): The values to compare with, keyed by field key.
        validate (RequireWithValuesValidatorValidate): The name of the validator.
        error_message (str | Unset): Replaces the message of the validator.
        level (RequireWithValuesValidatorLevel | Unset): The severity. Only an error makes a row invalid. Default:
            "error".
    """

    field_values: RequireWithValuesValidatorFieldValues
    validate: RequireWithValuesValidatorValidate
    error_message: str | Unset = UNSET
    level: RequireWithValuesValidatorLevel | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        field_values = self.field_values.to_dict()

        validate: str = self.validate

        error_message = self.error_message

        level: str | Unset = UNSET
        if not isinstance(self.level, Unset):
            level = self.level

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fieldValues": field_values,
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
        from ..models.require_with_values_validator_field_values import (
            RequireWithValuesValidatorFieldValues,
        )

        d = dict(src_dict)
        field_values = RequireWithValuesValidatorFieldValues.from_dict(d.pop("fieldValues"))

        validate = check_require_with_values_validator_validate(d.pop("validate"))

        error_message = d.pop("errorMessage", UNSET)

        _level = d.pop("level", UNSET)
        level: RequireWithValuesValidatorLevel | Unset
        if isinstance(_level, Unset):
            level = UNSET
        else:
            level = check_require_with_values_validator_level(_level)

        require_with_values_validator = cls(
            field_values=field_values,
            validate=validate,
            error_message=error_message,
            level=level,
        )

        require_with_values_validator.additional_properties = d
        return require_with_values_validator

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
