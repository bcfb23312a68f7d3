from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.import_status import ImportStatus, check_import_status

T = TypeVar("T", bound="ImportListItem")


@_attrs_define
class ImportListItem:
    """An import in a list.

    Attributes:
        created_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        id (UUID): Id of the import.
        modified_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        original_filename (str): Empty if the file has no name.
        schema_id (UUID): The saved schema, or the id of the inline schema.
        status (ImportStatus):
    """

    created_date: datetime.datetime
    id: UUID
    modified_date: datetime.datetime
    original_filename: str
    schema_id: UUID
    status: ImportStatus
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created_date = self.created_date.isoformat()

        id = str(self.id)

        modified_date = self.modified_date.isoformat()

        original_filename = self.original_filename

        schema_id = str(self.schema_id)

        status: str = self.status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_date": created_date,
                "id": id,
                "modified_date": modified_date,
                "original_filename": original_filename,
                "schema_id": schema_id,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        id = UUID(d.pop("id"))

        modified_date = datetime.datetime.fromisoformat(d.pop("modified_date"))

        original_filename = d.pop("original_filename")

        schema_id = UUID(d.pop("schema_id"))

        status = check_import_status(d.pop("status"))

        import_list_item = cls(
            created_date=created_date,
            id=id,
            modified_date=modified_date,
            original_filename=original_filename,
            schema_id=schema_id,
            status=status,
        )

        import_list_item.additional_properties = d
        return import_list_item

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
