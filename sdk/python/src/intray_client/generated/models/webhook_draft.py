from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.event_name import EventName, check_event_name
from ..types import UNSET, Unset

T = TypeVar("T", bound="WebhookDraft")


@_attrs_define
class WebhookDraft:
    """A webhook to create, or what replaces it.

    Attributes:
        url (None | str): https or http; null if a program fetches the messages, as intray listen does.
        development_mode (bool | None | Unset): Only imports with this developmentMode. Default: all.
        enabled (bool | Unset): Default: true.
        events (list[EventName] | Unset): Only these events. Default: all.
        import_identifiers (list[str] | Unset): Only imports with one of these identifiers. Default: all.
        schema_ids (list[UUID] | Unset): Only imports with one of these saved schemas. Default: all.
    """

    url: None | str
    development_mode: bool | None | Unset = UNSET
    enabled: bool | Unset = UNSET
    events: list[EventName] | Unset = UNSET
    import_identifiers: list[str] | Unset = UNSET
    schema_ids: list[UUID] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        url: None | str
        url = self.url

        development_mode: bool | None | Unset
        if isinstance(self.development_mode, Unset):
            development_mode = UNSET
        else:
            development_mode = self.development_mode

        enabled = self.enabled

        events: list[str] | Unset = UNSET
        if not isinstance(self.events, Unset):
            events = []
            for events_item_data in self.events:
                events_item: str = events_item_data
                events.append(events_item)

        import_identifiers: list[str] | Unset = UNSET
        if not isinstance(self.import_identifiers, Unset):
            import_identifiers = self.import_identifiers

        schema_ids: list[str] | Unset = UNSET
        if not isinstance(self.schema_ids, Unset):
            schema_ids = []
            for schema_ids_item_data in self.schema_ids:
                schema_ids_item = str(schema_ids_item_data)
                schema_ids.append(schema_ids_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "url": url,
            }
        )
        if development_mode is not UNSET:
            field_dict["development_mode"] = development_mode
        if enabled is not UNSET:
            field_dict["enabled"] = enabled
        if events is not UNSET:
            field_dict["events"] = events
        if import_identifiers is not UNSET:
            field_dict["import_identifiers"] = import_identifiers
        if schema_ids is not UNSET:
            field_dict["schema_ids"] = schema_ids

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_url(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        url = _parse_url(d.pop("url"))

        def _parse_development_mode(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        development_mode = _parse_development_mode(d.pop("development_mode", UNSET))

        enabled = d.pop("enabled", UNSET)

        _events = d.pop("events", UNSET)
        events: list[EventName] | Unset = UNSET
        if _events is not UNSET:
            events = []
            for events_item_data in _events:
                events_item = check_event_name(events_item_data)

                events.append(events_item)

        import_identifiers = cast(list[str], d.pop("import_identifiers", UNSET))

        _schema_ids = d.pop("schema_ids", UNSET)
        schema_ids: list[UUID] | Unset = UNSET
        if _schema_ids is not UNSET:
            schema_ids = []
            for schema_ids_item_data in _schema_ids:
                schema_ids_item = UUID(schema_ids_item_data)

                schema_ids.append(schema_ids_item)

        webhook_draft = cls(
            url=url,
            development_mode=development_mode,
            enabled=enabled,
            events=events,
            import_identifiers=import_identifiers,
            schema_ids=schema_ids,
        )

        return webhook_draft
