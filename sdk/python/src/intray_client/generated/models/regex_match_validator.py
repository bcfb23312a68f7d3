from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.regex_match_validator_level import (
    RegexMatchValidatorLevel,
    check_regex_match_validator_level,
)
from ..models.regex_match_validator_validate import (
    RegexMatchValidatorValidate,
    check_regex_match_validator_validate,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.regex_options import RegexOptions


T = TypeVar("T", bound="RegexMatchValidator")


@_attrs_define
class RegexMatchValidator:
    """The validator regex_match.

    Attributes:
        regex (str): A regular expression in JavaScript syntax, without slashes.
        validate (RegexMatchValidatorValidate): The name of the validator.
        error_message (str | Unset): Replaces the message of the validator.
        level (RegexMatchValidatorLevel | Unset): The severity. Only an error makes a row invalid. Default: "error".
        regex_options (RegexOptions | Unset): The flags of a regular expression.
    """

    regex: str
    validate: RegexMatchValidatorValidate
    error_message: str | Unset = UNSET
    level: RegexMatchValidatorLevel | Unset = UNSET
    regex_options: RegexOptions | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        regex = self.regex

        validate: str = self.validate

        error_message = self.error_message

        level: str | Unset = UNSET
        if not isinstance(self.level, Unset):
            level = self.level

        regex_options: dict[str, Any] | Unset = UNSET
        if not isinstance(self.regex_options, Unset):
            regex_options = self.regex_options.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "regex": regex,
                "validate": validate,
            }
        )
        if error_message is not UNSET:
            field_dict["errorMessage"] = error_message
        if level is not UNSET:
            field_dict["level"] = level
        if regex_options is not UNSET:
            field_dict["regexOptions"] = regex_options

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.regex_options import RegexOptions

        d = dict(src_dict)
        regex = d.pop("regex")

        validate = check_regex_match_validator_validate(d.pop("validate"))

        error_message = d.pop("errorMessage", UNSET)

        _level = d.pop("level", UNSET)
        level: RegexMatchValidatorLevel | Unset
        if isinstance(_level, Unset):
            level = UNSET
        else:
            level = check_regex_match_validator_level(_level)

        _regex_options = d.pop("regexOptions", UNSET)
        regex_options: RegexOptions | Unset
        if isinstance(_regex_options, Unset):
            regex_options = UNSET
        else:
            regex_options = RegexOptions.from_dict(_regex_options)

        regex_match_validator = cls(
            regex=regex,
            validate=validate,
            error_message=error_message,
            level=level,
            regex_options=regex_options,
        )

        regex_match_validator.additional_properties = d
        return regex_match_validator

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
