from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.receipt_reason import ReceiptReason, check_receipt_reason

if TYPE_CHECKING:
    from ..models.deleted_part import DeletedPart


T = TypeVar("T", bound="Receipt")


@_attrs_define
class Receipt:
    """
    Attributes:
        deleted_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        id (UUID): Id of the receipt.
        import_id (UUID):
        parts (list[DeletedPart]):
        reason (ReceiptReason):
    """

    deleted_date: datetime.datetime
    id: UUID
    import_id: UUID
    parts: list[DeletedPart]
    reason: ReceiptReason
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        deleted_date = self.deleted_date.isoformat()

        id = str(self.id)

        import_id = str(self.import_id)

        parts = []
        for parts_item_data in self.parts:
            parts_item = parts_item_data.to_dict()
            parts.append(parts_item)

        reason: str = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "deleted_date": deleted_date,
                "id": id,
                "import_id": import_id,
                "parts": parts,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.deleted_part import DeletedPart

        d = dict(src_dict)
        deleted_date = datetime.datetime.fromisoformat(d.pop("deleted_date"))

        id = UUID(d.pop("id"))

        import_id = UUID(d.pop("import_id"))

        parts = []
        _parts = d.pop("parts")
        for parts_item_data in _parts:
            parts_item = DeletedPart.from_dict(parts_item_data)

            parts.append(parts_item)

        reason = check_receipt_reason(d.pop("reason"))

        receipt = cls(
            deleted_date=deleted_date,
            id=id,
            import_id=import_id,
            parts=parts,
            reason=reason,
        )

        receipt.additional_properties = d
        return receipt

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
