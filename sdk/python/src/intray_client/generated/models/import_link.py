from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.import_link_status import ImportLinkStatus, check_import_link_status

if TYPE_CHECKING:
    from ..models.import_metadata import ImportMetadata
    from ..models.upload_page import UploadPage


T = TypeVar("T", bound="ImportLink")


@_attrs_define
class ImportLink:
    """A public link through which people send files.

    Attributes:
        bytes_received (int): Total size of the received files, including those of failed imports.
        created_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        expires_at (datetime.datetime | None): null means never. ISO 8601 in UTC with microseconds.
        has_logo (bool):
        has_password (bool):
        id (UUID): Id of the link.
        import_metadata (ImportMetadata | None):
        max_bytes (int | None): null means no limit.
        max_uses (int | None): null means no limit.
        modified_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        name (str): For the organization. The people who use the link do not see it.
        page (UploadPage): The page on which people upload a file.
        schema_id (UUID): The saved schema of the imports.
        status (ImportLinkStatus): USED_UP means that one of the limits was reached.
        url (str): The address to send to people. Whoever knows it can send files.
        uses (int): Number of received files, without those whose import failed or was deleted before it ended.
    """

    bytes_received: int
    created_date: datetime.datetime
    expires_at: datetime.datetime | None
    has_logo: bool
    has_password: bool
    id: UUID
    import_metadata: ImportMetadata | None
    max_bytes: int | None
    max_uses: int | None
    modified_date: datetime.datetime
    name: str
    page: UploadPage
    schema_id: UUID
    status: ImportLinkStatus
    url: str
    uses: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.import_metadata import ImportMetadata

        bytes_received = self.bytes_received

        created_date = self.created_date.isoformat()

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        has_logo = self.has_logo

        has_password = self.has_password

        id = str(self.id)

        import_metadata: dict[str, Any] | None
        if isinstance(self.import_metadata, ImportMetadata):
            import_metadata = self.import_metadata.to_dict()
        else:
            import_metadata = self.import_metadata

        max_bytes: int | None
        max_bytes = self.max_bytes

        max_uses: int | None
        max_uses = self.max_uses

        modified_date = self.modified_date.isoformat()

        name = self.name

        page = self.page.to_dict()

        schema_id = str(self.schema_id)

        status: str = self.status

        url = self.url

        uses = self.uses

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bytes_received": bytes_received,
                "created_date": created_date,
                "expires_at": expires_at,
                "has_logo": has_logo,
                "has_password": has_password,
                "id": id,
                "import_metadata": import_metadata,
                "max_bytes": max_bytes,
                "max_uses": max_uses,
                "modified_date": modified_date,
                "name": name,
                "page": page,
                "schema_id": schema_id,
                "status": status,
                "url": url,
                "uses": uses,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.import_metadata import ImportMetadata
        from ..models.upload_page import UploadPage

        d = dict(src_dict)
        bytes_received = d.pop("bytes_received")

        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expires_at"))

        has_logo = d.pop("has_logo")

        has_password = d.pop("has_password")

        id = UUID(d.pop("id"))

        def _parse_import_metadata(data: object) -> ImportMetadata | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                import_metadata_type_0 = ImportMetadata.from_dict(data)

                return import_metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ImportMetadata | None, data)

        import_metadata = _parse_import_metadata(d.pop("import_metadata"))

        def _parse_max_bytes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        max_bytes = _parse_max_bytes(d.pop("max_bytes"))

        def _parse_max_uses(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        max_uses = _parse_max_uses(d.pop("max_uses"))

        modified_date = datetime.datetime.fromisoformat(d.pop("modified_date"))

        name = d.pop("name")

        page = UploadPage.from_dict(d.pop("page"))

        schema_id = UUID(d.pop("schema_id"))

        status = check_import_link_status(d.pop("status"))

        url = d.pop("url")

        uses = d.pop("uses")

        import_link = cls(
            bytes_received=bytes_received,
            created_date=created_date,
            expires_at=expires_at,
            has_logo=has_logo,
            has_password=has_password,
            id=id,
            import_metadata=import_metadata,
            max_bytes=max_bytes,
            max_uses=max_uses,
            modified_date=modified_date,
            name=name,
            page=page,
            schema_id=schema_id,
            status=status,
            url=url,
            uses=uses,
        )

        import_link.additional_properties = d
        return import_link

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
