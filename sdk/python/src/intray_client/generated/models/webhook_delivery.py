from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.webhook_delivery_status import (
    WebhookDeliveryStatus,
    check_webhook_delivery_status,
)

if TYPE_CHECKING:
    from ..models.webhook_attempt import WebhookAttempt


T = TypeVar("T", bound="WebhookDelivery")


@_attrs_define
class WebhookDelivery:
    """
    Attributes:
        attempts (list[WebhookAttempt]):
        body (None | str): null if the data in the message was deleted.
        content_type (str):
        created_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        event (str):
        id (str): The id of the message: webhook-id of each attempt.
        import_id (str):
        next_attempt_date (datetime.datetime | None): ISO 8601 in UTC with microseconds.
        status (WebhookDeliveryStatus):
        url (str):
    """

    attempts: list[WebhookAttempt]
    body: None | str
    content_type: str
    created_date: datetime.datetime
    event: str
    id: str
    import_id: str
    next_attempt_date: datetime.datetime | None
    status: WebhookDeliveryStatus
    url: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attempts = []
        for attempts_item_data in self.attempts:
            attempts_item = attempts_item_data.to_dict()
            attempts.append(attempts_item)

        body: None | str
        body = self.body

        content_type = self.content_type

        created_date = self.created_date.isoformat()

        event = self.event

        id = self.id

        import_id = self.import_id

        next_attempt_date: None | str
        if isinstance(self.next_attempt_date, datetime.datetime):
            next_attempt_date = self.next_attempt_date.isoformat()
        else:
            next_attempt_date = self.next_attempt_date

        status: str = self.status

        url = self.url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attempts": attempts,
                "body": body,
                "content_type": content_type,
                "created_date": created_date,
                "event": event,
                "id": id,
                "import_id": import_id,
                "next_attempt_date": next_attempt_date,
                "status": status,
                "url": url,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.webhook_attempt import WebhookAttempt

        d = dict(src_dict)
        attempts = []
        _attempts = d.pop("attempts")
        for attempts_item_data in _attempts:
            attempts_item = WebhookAttempt.from_dict(attempts_item_data)

            attempts.append(attempts_item)

        def _parse_body(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        body = _parse_body(d.pop("body"))

        content_type = d.pop("content_type")

        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        event = d.pop("event")

        id = d.pop("id")

        import_id = d.pop("import_id")

        def _parse_next_attempt_date(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_attempt_date_type_0 = datetime.datetime.fromisoformat(data)

                return next_attempt_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_attempt_date = _parse_next_attempt_date(d.pop("next_attempt_date"))

        status = check_webhook_delivery_status(d.pop("status"))

        url = d.pop("url")

        webhook_delivery = cls(
            attempts=attempts,
            body=body,
            content_type=content_type,
            created_date=created_date,
            event=event,
            id=id,
            import_id=import_id,
            next_attempt_date=next_attempt_date,
            status=status,
            url=url,
        )

        webhook_delivery.additional_properties = d
        return webhook_delivery

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
