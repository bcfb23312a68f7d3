from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.import_status import ImportStatus, check_import_status
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.notice import Notice
    from ..models.result_metadata import ResultMetadata


T = TypeVar("T", bound="Import")


@_attrs_define
class Import:
    """An import.

    Attributes:
        created_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        id (UUID): Id of the import.
        import_errors (list[Notice] | None): At most 1,000, then one of type TRUNCATED.
        modified_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        original_filename (str): Empty if the file has no name.
        result_metadata (None | ResultMetadata):
        review_url (str): URL of the page where a person answers questions and fixes rows.
        schema_id (UUID): The saved schema, or the id of the inline schema.
        status (ImportStatus):
        upload (str): Signed URL for uploading the file: one PUT with the bytes. Valid for 1,800 seconds after this
            response.
        direct_upload (str | Unset): Signed URL of createDirectUpload. Only if the server allows direct uploads to the
            bucket.
    """

    created_date: datetime.datetime
    id: UUID
    import_errors: list[Notice] | None
    modified_date: datetime.datetime
    original_filename: str
    result_metadata: None | ResultMetadata
    review_url: str
    schema_id: UUID
    status: ImportStatus
    upload: str
    direct_upload: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.result_metadata import ResultMetadata

        created_date = self.created_date.isoformat()

        id = str(self.id)

        import_errors: list[dict[str, Any]] | None
        if isinstance(self.import_errors, list):
            import_errors = []
            for import_errors_type_0_item_data in self.import_errors:
                import_errors_type_0_item = import_errors_type_0_item_data.to_dict()
                import_errors.append(import_errors_type_0_item)

        else:
            import_errors = self.import_errors

        modified_date = self.modified_date.isoformat()

        original_filename = self.original_filename

        result_metadata: dict[str, Any] | None
        if isinstance(self.result_metadata, ResultMetadata):
            result_metadata = self.result_metadata.to_dict()
        else:
            result_metadata = self.result_metadata

        review_url = self.review_url

        schema_id = str(self.schema_id)

        status: str = self.status

        upload = self.upload

        direct_upload = self.direct_upload

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_date": created_date,
                "id": id,
                "import_errors": import_errors,
                "modified_date": modified_date,
                "original_filename": original_filename,
                "result_metadata": result_metadata,
                "review_url": review_url,
                "schema_id": schema_id,
                "status": status,
                "upload": upload,
            }
        )
        if direct_upload is not UNSET:
            field_dict["direct_upload"] = direct_upload

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notice import Notice
        from ..models.result_metadata import ResultMetadata

        d = dict(src_dict)
        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        id = UUID(d.pop("id"))

        def _parse_import_errors(data: object) -> list[Notice] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                import_errors_type_0 = []
                _import_errors_type_0 = data
                for import_errors_type_0_item_data in _import_errors_type_0:
                    import_errors_type_0_item = Notice.from_dict(import_errors_type_0_item_data)

                    import_errors_type_0.append(import_errors_type_0_item)

                return import_errors_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Notice] | None, data)

        import_errors = _parse_import_errors(d.pop("import_errors"))

        modified_date = datetime.datetime.fromisoformat(d.pop("modified_date"))

        original_filename = d.pop("original_filename")

        def _parse_result_metadata(data: object) -> None | ResultMetadata:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                result_metadata_type_0 = ResultMetadata.from_dict(data)

                return result_metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ResultMetadata, data)

        result_metadata = _parse_result_metadata(d.pop("result_metadata"))

        review_url = d.pop("review_url")

        schema_id = UUID(d.pop("schema_id"))

        status = check_import_status(d.pop("status"))

        upload = d.pop("upload")

        direct_upload = d.pop("direct_upload", UNSET)

        import_ = cls(
            created_date=created_date,
            id=id,
            import_errors=import_errors,
            modified_date=modified_date,
            original_filename=original_filename,
            result_metadata=result_metadata,
            review_url=review_url,
            schema_id=schema_id,
            status=status,
            upload=upload,
            direct_upload=direct_upload,
        )

        import_.additional_properties = d
        return import_

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
