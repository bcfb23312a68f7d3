from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.webhook_disabled_message_event import (
    WebhookDisabledMessageEvent,
    check_webhook_disabled_message_event,
)

if TYPE_CHECKING:
    from ..models.webhook_disabled_event import WebhookDisabledEvent


T = TypeVar("T", bound="WebhookDisabledMessage")


@_attrs_define
class WebhookDisabledMessage:
    """Another webhook of the organization was disabled because it failed for days or its receiver asked for this.

    Attributes:
        data (WebhookDisabledEvent): A webhook that was disabled because it failed for days or its receiver asked for
            this.
        event (WebhookDisabledMessageEvent):
    """

    data: WebhookDisabledEvent
    event: WebhookDisabledMessageEvent
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
        from ..models.webhook_disabled_event import WebhookDisabledEvent

        d = dict(src_dict)
        data = WebhookDisabledEvent.from_dict(d.pop("data"))

        event = check_webhook_disabled_message_event(d.pop("event"))

        webhook_disabled_message = cls(
            data=data,
            event=event,
        )

        webhook_disabled_message.additional_properties = d
        return webhook_disabled_message

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
