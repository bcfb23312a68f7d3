from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.error_field_messages import ErrorFieldMessages
    from ..models.error_params import ErrorParams


T = TypeVar("T", bound="Error")


@_attrs_define
class Error:
    """An error. Errors of single request fields are further properties: the name of the field and an array of sentences.

    Attributes:
        code (str): Identifies the error for programs, in snake_case.
        detail (str): What is wrong and what to do, in English.
        request_id (str): Identifies the request in the log of the server.
        changes (int | Unset): With the code discards_changes: number of changes to rows that would be lost.
        field_messages (ErrorFieldMessages | Unset): The errors of single fields as codes with parameters, by the name
            of the field.
        message_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        params (ErrorParams | Unset): The parameters of the sentence by name: strings, numbers, messages, or lists of
            strings or messages.
    """

    code: str
    detail: str
    request_id: str
    changes: int | Unset = UNSET
    field_messages: ErrorFieldMessages | Unset = UNSET
    message_code: str | Unset = UNSET
    params: ErrorParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        detail = self.detail

        request_id = self.request_id

        changes = self.changes

        field_messages: dict[str, Any] | Unset = UNSET
        if not isinstance(self.field_messages, Unset):
            field_messages = self.field_messages.to_dict()

        message_code = self.message_code

        params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.params, Unset):
            params = self.params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "detail": detail,
                "request_id": request_id,
            }
        )
        if changes is not UNSET:
            field_dict["changes"] = changes
        if field_messages is not UNSET:
            field_dict["field_messages"] = field_messages
        if message_code is not UNSET:
            field_dict["message_code"] = message_code
        if params is not UNSET:
            field_dict["params"] = params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.error_field_messages import ErrorFieldMessages
        from ..models.error_params import ErrorParams

        d = dict(src_dict)
        code = d.pop("code")

        detail = d.pop("detail")

        request_id = d.pop("request_id")

        changes = d.pop("changes", UNSET)

        _field_messages = d.pop("field_messages", UNSET)
        field_messages: ErrorFieldMessages | Unset
        if isinstance(_field_messages, Unset):
            field_messages = UNSET
        else:
            field_messages = ErrorFieldMessages.from_dict(_field_messages)

        message_code = d.pop("message_code", UNSET)

        _params = d.pop("params", UNSET)
        params: ErrorParams | Unset
        if isinstance(_params, Unset):
            params = UNSET
        else:
            params = ErrorParams.from_dict(_params)

        error = cls(
            code=code,
            detail=detail,
            request_id=request_id,
            changes=changes,
            field_messages=field_messages,
            message_code=message_code,
            params=params,
        )

        error.additional_properties = d
        return error

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
