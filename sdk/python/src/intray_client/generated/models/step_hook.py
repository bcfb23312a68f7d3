from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.step_hook_type import StepHookType, check_step_hook_type

T = TypeVar("T", bound="StepHook")


@_attrs_define
class StepHook:
    """A function for one step of an import.

    Attributes:
        callback (str): Called with (instance, step).
        type_ (StepHookType): The step.
    """

    callback: str
    type_: StepHookType
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        callback = self.callback

        type_: str = self.type_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "callback": callback,
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        callback = d.pop("callback")

        type_ = check_step_hook_type(d.pop("type"))

        step_hook = cls(
            callback=callback,
            type_=type_,
        )

        step_hook.additional_properties = d
        return step_hook

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
