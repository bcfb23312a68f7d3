from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.sftp_connector_failed_message_event import (
    SftpConnectorFailedMessageEvent,
    check_sftp_connector_failed_message_event,
)

if TYPE_CHECKING:
    from ..models.sftp_connector_failed_event import SftpConnectorFailedEvent


T = TypeVar("T", bound="SftpConnectorFailedMessage")


@_attrs_define
class SftpConnectorFailedMessage:
    """A run of an SFTP connector failed, although the run before it, if any, succeeded.

    Attributes:
        data (SftpConnectorFailedEvent): The first failed run of an SFTP connector after a successful one.
        event (SftpConnectorFailedMessageEvent):
    """

    data: SftpConnectorFailedEvent
    event: SftpConnectorFailedMessageEvent
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
        from ..models.sftp_connector_failed_event import SftpConnectorFailedEvent

        d = dict(src_dict)
        data = SftpConnectorFailedEvent.from_dict(d.pop("data"))

        event = check_sftp_connector_failed_message_event(d.pop("event"))

        sftp_connector_failed_message = cls(
            data=data,
            event=event,
        )

        sftp_connector_failed_message.additional_properties = d
        return sftp_connector_failed_message

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
