from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.level import Level, check_level
from ..models.notice_type import NoticeType, check_notice_type
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.notice_params import NoticeParams


T = TypeVar("T", bound="Notice")


@_attrs_define
class Notice:
    """
    Attributes:
        level (Level):
        message (str): The sentence in English.
        type_ (NoticeType):
        field_key (str | Unset):
        header (str | Unset):
        many_to_one_index (int | Unset): Which of the columns of a field with manyToOne, counted from 0.
        message_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        params (NoticeParams | Unset): The parameters of the sentence by name: strings, numbers, messages, or lists of
            strings or messages.
        row_index (int | Unset): The data row, counted from 0.
        total (int | Unset): With TRUNCATED: the number of elements in the whole list.
        value (str | Unset): The raw value of the cell, at most 4,096 bytes of it.
    """

    level: Level
    message: str
    type_: NoticeType
    field_key: str | Unset = UNSET
    header: str | Unset = UNSET
    many_to_one_index: int | Unset = UNSET
    message_code: str | Unset = UNSET
    params: NoticeParams | Unset = UNSET
    row_index: int | Unset = UNSET
    total: int | Unset = UNSET
    value: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        level: str = self.level

        message = self.message

        type_: str = self.type_

        field_key = self.field_key

        header = self.header

        many_to_one_index = self.many_to_one_index

        message_code = self.message_code

        params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.params, Unset):
            params = self.params.to_dict()

        row_index = self.row_index

        total = self.total

        value = self.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "level": level,
                "message": message,
                "type": type_,
            }
        )
        if field_key is not UNSET:
            field_dict["fieldKey"] = field_key
        if header is not UNSET:
            field_dict["header"] = header
        if many_to_one_index is not UNSET:
            field_dict["manyToOneIndex"] = many_to_one_index
        if message_code is not UNSET:
            field_dict["messageCode"] = message_code
        if params is not UNSET:
            field_dict["params"] = params
        if row_index is not UNSET:
            field_dict["rowIndex"] = row_index
        if total is not UNSET:
            field_dict["total"] = total
        if value is not UNSET:
            field_dict["value"] = value

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notice_params import NoticeParams

        d = dict(src_dict)
        level = check_level(d.pop("level"))

        message = d.pop("message")

        type_ = check_notice_type(d.pop("type"))

        field_key = d.pop("fieldKey", UNSET)

        header = d.pop("header", UNSET)

        many_to_one_index = d.pop("manyToOneIndex", UNSET)

        message_code = d.pop("messageCode", UNSET)

        _params = d.pop("params", UNSET)
        params: NoticeParams | Unset
        if isinstance(_params, Unset):
            params = UNSET
        else:
            params = NoticeParams.from_dict(_params)

        row_index = d.pop("rowIndex", UNSET)

        total = d.pop("total", UNSET)

        value = d.pop("value", UNSET)

        notice = cls(
            level=level,
            message=message,
            type_=type_,
            field_key=field_key,
            header=header,
            many_to_one_index=many_to_one_index,
            message_code=message_code,
            params=params,
            row_index=row_index,
            total=total,
            value=value,
        )

        notice.additional_properties = d
        return notice

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
