from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.field import Field
    from ..models.hooks import Hooks
    from ..models.message import Message
    from ..models.settings import Settings


T = TypeVar("T", bound="Schema")


@_attrs_define
class Schema:
    """A schema.

    Attributes:
        fields (list[Field]): The fields of an import, in the order of the result.
        hooks (Hooks): JavaScript functions that run during an import.
        id (UUID): Id of the schema.
        name (str):
        settings (Settings): The settings of an import. A missing setting has its default.
        warning_messages (list[Message] | Unset): The same warnings as codes with parameters.
        warnings (list[str] | Unset): Settings that were accepted but are probably mistakes, in English.
    """

    fields: list[Field]
    hooks: Hooks
    id: UUID
    name: str
    settings: Settings
    warning_messages: list[Message] | Unset = UNSET
    warnings: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        fields = []
        for componentsschemas_fields_item_data in self.fields:
            componentsschemas_fields_item = componentsschemas_fields_item_data.to_dict()
            fields.append(componentsschemas_fields_item)

        hooks = self.hooks.to_dict()

        id = str(self.id)

        name = self.name

        settings = self.settings.to_dict()

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
                "fields": fields,
                "hooks": hooks,
                "id": id,
                "name": name,
                "settings": settings,
            }
        )
        if warning_messages is not UNSET:
            field_dict["warning_messages"] = warning_messages
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.field import Field
        from ..models.hooks import Hooks
        from ..models.message import Message
        from ..models.settings import Settings

        d = dict(src_dict)
        fields = []
        _fields = d.pop("fields")
        for componentsschemas_fields_item_data in _fields:
            componentsschemas_fields_item = Field.from_dict(componentsschemas_fields_item_data)

            fields.append(componentsschemas_fields_item)

        hooks = Hooks.from_dict(d.pop("hooks"))

        id = UUID(d.pop("id"))

        name = d.pop("name")

        settings = Settings.from_dict(d.pop("settings"))

        _warning_messages = d.pop("warning_messages", UNSET)
        warning_messages: list[Message] | Unset = UNSET
        if _warning_messages is not UNSET:
            warning_messages = []
            for warning_messages_item_data in _warning_messages:
                warning_messages_item = Message.from_dict(warning_messages_item_data)

                warning_messages.append(warning_messages_item)

        warnings = cast(list[str], d.pop("warnings", UNSET))

        schema = cls(
            fields=fields,
            hooks=hooks,
            id=id,
            name=name,
            settings=settings,
            warning_messages=warning_messages,
            warnings=warnings,
        )

        schema.additional_properties = d
        return schema

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
