from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.field import Field
    from ..models.hooks import Hooks
    from ..models.settings import Settings


T = TypeVar("T", bound="SchemaDraft")


@_attrs_define
class SchemaDraft:
    """A schema to save.

    Attributes:
        fields (list[Field]): The fields of an import, in the order of the result.
        name (str): Unique in the organization.
        settings (Settings): The settings of an import. A missing setting has its default.
        hooks (Hooks | Unset): JavaScript functions that run during an import.
        id (UUID | Unset): Read-only: the server assigns it.
    """

    fields: list[Field]
    name: str
    settings: Settings
    hooks: Hooks | Unset = UNSET
    id: UUID | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        fields = []
        for componentsschemas_fields_item_data in self.fields:
            componentsschemas_fields_item = componentsschemas_fields_item_data.to_dict()
            fields.append(componentsschemas_fields_item)

        name = self.name

        settings = self.settings.to_dict()

        hooks: dict[str, Any] | Unset = UNSET
        if not isinstance(self.hooks, Unset):
            hooks = self.hooks.to_dict()

        id: str | Unset = UNSET
        if not isinstance(self.id, Unset):
            id = str(self.id)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "fields": fields,
                "name": name,
                "settings": settings,
            }
        )
        if hooks is not UNSET:
            field_dict["hooks"] = hooks
        if id is not UNSET:
            field_dict["id"] = id

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.field import Field
        from ..models.hooks import Hooks
        from ..models.settings import Settings

        d = dict(src_dict)
        fields = []
        _fields = d.pop("fields")
        for componentsschemas_fields_item_data in _fields:
            componentsschemas_fields_item = Field.from_dict(componentsschemas_fields_item_data)

            fields.append(componentsschemas_fields_item)

        name = d.pop("name")

        settings = Settings.from_dict(d.pop("settings"))

        _hooks = d.pop("hooks", UNSET)
        hooks: Hooks | Unset
        if isinstance(_hooks, Unset):
            hooks = UNSET
        else:
            hooks = Hooks.from_dict(_hooks)

        _id = d.pop("id", UNSET)
        id: UUID | Unset
        if isinstance(_id, Unset):
            id = UNSET
        else:
            id = UUID(_id)

        schema_draft = cls(
            fields=fields,
            name=name,
            settings=settings,
            hooks=hooks,
            id=id,
        )

        return schema_draft
