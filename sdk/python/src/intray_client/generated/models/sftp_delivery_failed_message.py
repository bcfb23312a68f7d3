from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.sftp_delivery_failed_message_event import (
    SftpDeliveryFailedMessageEvent,
    check_sftp_delivery_failed_message_event,
)

if TYPE_CHECKING:
    from ..models.sftp_delivery_failed_event import SftpDeliveryFailedEvent


T = TypeVar("T", bound="SftpDeliveryFailedMessage")


@_attrs_define
class SftpDeliveryFailedMessage:
    """A result could not be uploaded to an SFTP server.

    Attributes:
        data (SftpDeliveryFailedEvent): A result that could not be uploaded to an SFTP server.
        event (SftpDeliveryFailedMessageEvent):
    """

    data: SftpDeliveryFailedEvent
    event: SftpDeliveryFailedMessageEvent
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
        from ..models.sftp_delivery_failed_event import SftpDeliveryFailedEvent

        d = dict(src_dict)
        data = SftpDeliveryFailedEvent.from_dict(d.pop("data"))

        event = check_sftp_delivery_failed_message_event(d.pop("event"))

        sftp_delivery_failed_message = cls(
            data=data,
            event=event,
        )

        sftp_delivery_failed_message.additional_properties = d
        return sftp_delivery_failed_message

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
