from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.cell_step_step import CellStepStep, check_cell_step_step

if TYPE_CHECKING:
    from ..models.message import Message


T = TypeVar("T", bound="CellStep")


@_attrs_define
class CellStep:
    """
    Attributes:
        reason_messages (list[Message]): The same reasons as codes with parameters.
        reasons (list[str]): The reasons in English.
        step (CellStepStep):
        text (None | str): The cell after the step, at most 4,096 bytes of it. null if it had no value. After output:
            the JSON in the result, with strings in quotes.
    """

    reason_messages: list[Message]
    reasons: list[str]
    step: CellStepStep
    text: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        reason_messages = []
        for reason_messages_item_data in self.reason_messages:
            reason_messages_item = reason_messages_item_data.to_dict()
            reason_messages.append(reason_messages_item)

        reasons = self.reasons

        step: str = self.step

        text: None | str
        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "reasonMessages": reason_messages,
                "reasons": reasons,
                "step": step,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.message import Message

        d = dict(src_dict)
        reason_messages = []
        _reason_messages = d.pop("reasonMessages")
        for reason_messages_item_data in _reason_messages:
            reason_messages_item = Message.from_dict(reason_messages_item_data)

            reason_messages.append(reason_messages_item)

        reasons = cast(list[str], d.pop("reasons"))

        step = check_cell_step_step(d.pop("step"))

        def _parse_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        text = _parse_text(d.pop("text"))

        cell_step = cls(
            reason_messages=reason_messages,
            reasons=reasons,
            step=step,
            text=text,
        )

        cell_step.additional_properties = d
        return cell_step

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
