from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.event_name import EventName, check_event_name
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.message import Message


T = TypeVar("T", bound="Webhook")


@_attrs_define
class Webhook:
    """
    Attributes:
        created_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        development_mode (bool | None): null means all.
        enabled (bool): A webhook is disabled when its messages all fail for 5 days or its receiver responds with 410
            Gone.
        events (list[EventName]): Empty means all.
        failing_since (datetime.datetime | None): Since when every attempt has failed. ISO 8601 in UTC with
            microseconds.
        id (UUID): Id of the webhook.
        import_identifiers (list[str]): Empty means all.
        schema_ids (list[str]): Empty means all.
        url (None | str):
        secret (str | Unset): whsec_ and base64. Sent only when the webhook is created and after a rotation.
        warning_messages (list[Message] | Unset): The same warnings as codes with parameters.
        warnings (list[str] | Unset): Settings that were accepted but are probably mistakes, in English.
    """

    created_date: datetime.datetime
    development_mode: bool | None
    enabled: bool
    events: list[EventName]
    failing_since: datetime.datetime | None
    id: UUID
    import_identifiers: list[str]
    schema_ids: list[str]
    url: None | str
    secret: str | Unset = UNSET
    warning_messages: list[Message] | Unset = UNSET
    warnings: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created_date = self.created_date.isoformat()

        development_mode: bool | None
        development_mode = self.development_mode

        enabled = self.enabled

        events = []
        for events_item_data in self.events:
            events_item: str = events_item_data
            events.append(events_item)

        failing_since: None | str
        if isinstance(self.failing_since, datetime.datetime):
            failing_since = self.failing_since.isoformat()
        else:
            failing_since = self.failing_since

        id = str(self.id)

        import_identifiers = self.import_identifiers

        schema_ids = self.schema_ids

        url: None | str
        url = self.url

        secret = self.secret

        warning_messages: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warning_messages, Unset):
            warning_messages = []
            for warning_messages_item_data in self.warning_messages:
                warning_messages_item = warning_messages_item_data.to_dict()
                warning_messages.append(warning_messages_item)

        warnings: list[str] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = self.warnings

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_date": created_date,
                "development_mode": development_mode,
                "enabled": enabled,
                "events": events,
                "failing_since": failing_since,
                "id": id,
                "import_identifiers": import_identifiers,
                "schema_ids": schema_ids,
                "url": url,
            }
        )
        if secret is not UNSET:
            field_dict["secret"] = secret
        if warning_messages is not UNSET:
            field_dict["warning_messages"] = warning_messages
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.message import Message

        d = dict(src_dict)
        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        def _parse_development_mode(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        development_mode = _parse_development_mode(d.pop("development_mode"))

        enabled = d.pop("enabled")

        events = []
        _events = d.pop("events")
        for events_item_data in _events:
            events_item = check_event_name(events_item_data)

            events.append(events_item)

        def _parse_failing_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                failing_since_type_0 = datetime.datetime.fromisoformat(data)

                return failing_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        failing_since = _parse_failing_since(d.pop("failing_since"))

        id = UUID(d.pop("id"))

        import_identifiers = cast(list[str], d.pop("import_identifiers"))

        schema_ids = cast(list[str], d.pop("schema_ids"))

        def _parse_url(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        url = _parse_url(d.pop("url"))

        secret = d.pop("secret", UNSET)

        _warning_messages = d.pop("warning_messages", UNSET)
        warning_messages: list[Message] | Unset = UNSET
        if _warning_messages is not UNSET:
            warning_messages = []
            for warning_messages_item_data in _warning_messages:
                warning_messages_item = Message.from_dict(warning_messages_item_data)

                warning_messages.append(warning_messages_item)

        warnings = cast(list[str], d.pop("warnings", UNSET))

        webhook = cls(
            created_date=created_date,
            development_mode=development_mode,
            enabled=enabled,
            events=events,
            failing_since=failing_since,
            id=id,
            import_identifiers=import_identifiers,
            schema_ids=schema_ids,
            url=url,
            secret=secret,
            warning_messages=warning_messages,
            warnings=warnings,
        )

        webhook.additional_properties = d
        return webhook

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
