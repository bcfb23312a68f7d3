from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.message_params import MessageParams


T = TypeVar("T", bound="Message")


@_attrs_define
class Message:
    """A message: a code with its parameters, or a text that is the same in all languages.

    Attributes:
        code (str | Unset): The code of the sentence.
        params (MessageParams | Unset): The parameters of the sentence by name: strings, numbers, messages, or lists of
            strings or messages.
        text (str | Unset): The text, if there is no code.
    """

    code: str | Unset = UNSET
    params: MessageParams | Unset = UNSET
    text: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.params, Unset):
            params = self.params.to_dict()

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if code is not UNSET:
            field_dict["code"] = code
        if params is not UNSET:
            field_dict["params"] = params
        if text is not UNSET:
            field_dict["text"] = text

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.message_params import MessageParams

        d = dict(src_dict)
        code = d.pop("code", UNSET)

        _params = d.pop("params", UNSET)
        params: MessageParams | Unset
        if isinstance(_params, Unset):
            params = UNSET
        else:
            params = MessageParams.from_dict(_params)

        text = d.pop("text", UNSET)

        message = cls(
            code=code,
            params=params,
            text=text,
        )

        message.additional_properties = d
        return message

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
