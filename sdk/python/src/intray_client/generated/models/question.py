from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.question_choice import QuestionChoice
    from ..models.question_params import QuestionParams


T = TypeVar("T", bound="Question")


@_attrs_define
class Question:
    """A question that only a person can answer.

    Attributes:
        answer (None | str): The answer given so far, while other questions are open.
        any_column (bool): The index of any other column, counted from 0, is accepted too.
        choices (list[QuestionChoice]): The likeliest first.
        id (str): For example sheet, header_row, encoding, column:<field key> or field:<column index>.
        many_columns (bool): Several columns are accepted: their indexes, joined by commas.
        message (str): The sentence in English.
        type_ (str): The type of the notice about the question.
        field_key (str | Unset):
        header (str | Unset):
        message_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        params (QuestionParams | Unset): The parameters of the sentence by name: strings, numbers, messages, or lists of
            strings or messages.
    """

    answer: None | str
    any_column: bool
    choices: list[QuestionChoice]
    id: str
    many_columns: bool
    message: str
    type_: str
    field_key: str | Unset = UNSET
    header: str | Unset = UNSET
    message_code: str | Unset = UNSET
    params: QuestionParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        answer: None | str
        answer = self.answer

        any_column = self.any_column

        choices = []
        for choices_item_data in self.choices:
            choices_item = choices_item_data.to_dict()
            choices.append(choices_item)

        id = self.id

        many_columns = self.many_columns

        message = self.message

        type_ = self.type_

        field_key = self.field_key

        header = self.header

        message_code = self.message_code

        params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.params, Unset):
            params = self.params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "answer": answer,
                "anyColumn": any_column,
                "choices": choices,
                "id": id,
                "manyColumns": many_columns,
                "message": message,
                "type": type_,
            }
        )
        if field_key is not UNSET:
            field_dict["fieldKey"] = field_key
        if header is not UNSET:
            field_dict["header"] = header
        if message_code is not UNSET:
            field_dict["messageCode"] = message_code
        if params is not UNSET:
            field_dict["params"] = params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.question_choice import QuestionChoice
        from ..models.question_params import QuestionParams

        d = dict(src_dict)

        def _parse_answer(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        answer = _parse_answer(d.pop("answer"))

        any_column = d.pop("anyColumn")

        choices = []
        _choices = d.pop("choices")
        for choices_item_data in _choices:
            choices_item = QuestionChoice.from_dict(choices_item_data)

            choices.append(choices_item)

        id = d.pop("id")

        many_columns = d.pop("manyColumns")

        message = d.pop("message")

        type_ = d.pop("type")

        field_key = d.pop("fieldKey", UNSET)

        header = d.pop("header", UNSET)

        message_code = d.pop("messageCode", UNSET)

        _params = d.pop("params", UNSET)
        params: QuestionParams | Unset
        if isinstance(_params, Unset):
            params = UNSET
        else:
            params = QuestionParams.from_dict(_params)

        question = cls(
            answer=answer,
            any_column=any_column,
            choices=choices,
            id=id,
            many_columns=many_columns,
            message=message,
            type_=type_,
            field_key=field_key,
            header=header,
            message_code=message_code,
            params=params,
        )

        question.additional_properties = d
        return question

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
