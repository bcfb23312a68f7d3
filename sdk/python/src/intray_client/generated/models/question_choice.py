from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.question_choice_label_params import QuestionChoiceLabelParams
    from ..models.question_choice_reason_params import QuestionChoiceReasonParams
    from ..models.reading import Reading


T = TypeVar("T", bound="QuestionChoice")


@_attrs_define
class QuestionChoice:
    """
    Attributes:
        examples (list[str]): Cells or headers.
        label (str): The label in English.
        reason (str): The reason in English. May be empty.
        value (str): The value to answer with.
        label_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        label_params (QuestionChoiceLabelParams | Unset): The parameters of the sentence by name: strings, numbers,
            messages, or lists of strings or messages.
        readings (list[Reading] | Unset): Some cells of the column and how this choice reads them. Only for questions
            about the format of dates or numbers.
        reason_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        reason_params (QuestionChoiceReasonParams | Unset): The parameters of the sentence by name: strings, numbers,
            messages, or lists of strings or messages.
    """

    examples: list[str]
    label: str
    reason: str
    value: str
    label_code: str | Unset = UNSET
    label_params: QuestionChoiceLabelParams | Unset = UNSET
    readings: list[Reading] | Unset = UNSET
    reason_code: str | Unset = UNSET
    reason_params: QuestionChoiceReasonParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        examples = self.examples

        label = self.label

        reason = self.reason

        value = self.value

        label_code = self.label_code

        label_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.label_params, Unset):
            label_params = self.label_params.to_dict()

        readings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.readings, Unset):
            readings = []
            for readings_item_data in self.readings:
                readings_item = readings_item_data.to_dict()
                readings.append(readings_item)

        reason_code = self.reason_code

        reason_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.reason_params, Unset):
            reason_params = self.reason_params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "examples": examples,
                "label": label,
                "reason": reason,
                "value": value,
            }
        )
        if label_code is not UNSET:
            field_dict["labelCode"] = label_code
        if label_params is not UNSET:
            field_dict["labelParams"] = label_params
        if readings is not UNSET:
            field_dict["readings"] = readings
        if reason_code is not UNSET:
            field_dict["reasonCode"] = reason_code
        if reason_params is not UNSET:
            field_dict["reasonParams"] = reason_params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.question_choice_label_params import QuestionChoiceLabelParams
        from ..models.question_choice_reason_params import QuestionChoiceReasonParams
        from ..models.reading import Reading

        d = dict(src_dict)
        examples = cast(list[str], d.pop("examples"))

        label = d.pop("label")

        reason = d.pop("reason")

        value = d.pop("value")

        label_code = d.pop("labelCode", UNSET)

        _label_params = d.pop("labelParams", UNSET)
        label_params: QuestionChoiceLabelParams | Unset
        if isinstance(_label_params, Unset):
            label_params = UNSET
        else:
            label_params = QuestionChoiceLabelParams.from_dict(_label_params)

        _readings = d.pop("readings", UNSET)
        readings: list[Reading] | Unset = UNSET
        if _readings is not UNSET:
            readings = []
            for readings_item_data in _readings:
                readings_item = Reading.from_dict(readings_item_data)

                readings.append(readings_item)

        reason_code = d.pop("reasonCode", UNSET)

        _reason_params = d.pop("reasonParams", UNSET)
        reason_params: QuestionChoiceReasonParams | Unset
        if isinstance(_reason_params, Unset):
            reason_params = UNSET
        else:
            reason_params = QuestionChoiceReasonParams.from_dict(_reason_params)

        question_choice = cls(
            examples=examples,
            label=label,
            reason=reason,
            value=value,
            label_code=label_code,
            label_params=label_params,
            readings=readings,
            reason_code=reason_code,
            reason_params=reason_params,
        )

        question_choice.additional_properties = d
        return question_choice

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
