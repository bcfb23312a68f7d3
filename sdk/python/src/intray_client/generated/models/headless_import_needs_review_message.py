from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.headless_import_needs_review_message_event import (
    HeadlessImportNeedsReviewMessageEvent,
    check_headless_import_needs_review_message_event,
)

if TYPE_CHECKING:
    from ..models.import_event import ImportEvent


T = TypeVar("T", bound="HeadlessImportNeedsReviewMessage")


@_attrs_define
class HeadlessImportNeedsReviewMessage:
    """An import that was created through the API waits for a person.

    Attributes:
        data (ImportEvent): An import that ended or waits for a person.
        event (HeadlessImportNeedsReviewMessageEvent):
    """

    data: ImportEvent
    event: HeadlessImportNeedsReviewMessageEvent
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        data = self.data.to_dict()

        event: str = self.event

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "data": data,
                "event": event,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.import_event import ImportEvent

        d = dict(src_dict)
        data = ImportEvent.from_dict(d.pop("data"))

        event = check_headless_import_needs_review_message_event(d.pop("event"))

        headless_import_needs_review_message = cls(
            data=data,
            event=event,
        )

        headless_import_needs_review_message.additional_properties = d
        return headless_import_needs_review_message

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
