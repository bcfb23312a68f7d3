from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.upload_upload_status import UploadUploadStatus, check_upload_upload_status

if TYPE_CHECKING:
    from ..models.notice import Notice
    from ..models.raw_upload import RawUpload
    from ..models.user import User


T = TypeVar("T", bound="Upload")


@_attrs_define
class Upload:
    """A received file and the report on it.

    Attributes:
        created_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        errors (list[Notice]): At most 10 in a list, 1,000 in the metadata.
        field_order (list[str]):
        id (UUID): Id of the upload.
        import_identifier (str):
        invalid_row_indexes (list[int]): Data rows with an error, counted from 0. At most 1,000 in a list, 10,000 in the
            metadata.
        raw_upload (RawUpload):
        storage_key (str):
        total_num_rows (int): Number of data rows, after maxRecords.
        upload_status (UploadUploadStatus):
        user (User): The person for whom the file is imported. Unknown values are empty.
    """

    created_date: datetime.datetime
    errors: list[Notice]
    field_order: list[str]
    id: UUID
    import_identifier: str
    invalid_row_indexes: list[int]
    raw_upload: RawUpload
    storage_key: str
    total_num_rows: int
    upload_status: UploadUploadStatus
    user: User
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created_date = self.created_date.isoformat()

        errors = []
        for errors_item_data in self.errors:
            errors_item = errors_item_data.to_dict()
            errors.append(errors_item)

        field_order = self.field_order

        id = str(self.id)

        import_identifier = self.import_identifier

        invalid_row_indexes = self.invalid_row_indexes

        raw_upload = self.raw_upload.to_dict()

        storage_key = self.storage_key

        total_num_rows = self.total_num_rows

        upload_status: str = self.upload_status

        user = self.user.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_date": created_date,
                "errors": errors,
                "field_order": field_order,
                "id": id,
                "import_identifier": import_identifier,
                "invalid_row_indexes": invalid_row_indexes,
                "raw_upload": raw_upload,
                "storage_key": storage_key,
                "total_num_rows": total_num_rows,
                "upload_status": upload_status,
                "user": user,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notice import Notice
        from ..models.raw_upload import RawUpload
        from ..models.user import User

        d = dict(src_dict)
        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        errors = []
        _errors = d.pop("errors")
        for errors_item_data in _errors:
            errors_item = Notice.from_dict(errors_item_data)

            errors.append(errors_item)

        field_order = cast(list[str], d.pop("field_order"))

        id = UUID(d.pop("id"))

        import_identifier = d.pop("import_identifier")

        invalid_row_indexes = cast(list[int], d.pop("invalid_row_indexes"))

        raw_upload = RawUpload.from_dict(d.pop("raw_upload"))

        storage_key = d.pop("storage_key")

        total_num_rows = d.pop("total_num_rows")

        upload_status = check_upload_upload_status(d.pop("upload_status"))

        user = User.from_dict(d.pop("user"))

        upload = cls(
            created_date=created_date,
            errors=errors,
            field_order=field_order,
            id=id,
            import_identifier=import_identifier,
            invalid_row_indexes=invalid_row_indexes,
            raw_upload=raw_upload,
            storage_key=storage_key,
            total_num_rows=total_num_rows,
            upload_status=upload_status,
            user=user,
        )

        upload.additional_properties = d
        return upload

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
