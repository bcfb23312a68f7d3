from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.import_metadata_draft import ImportMetadataDraft
    from ..models.upload_page import UploadPage


T = TypeVar("T", bound="ImportLinkDraft")


@_attrs_define
class ImportLinkDraft:
    """An import link to create, or what replaces it.

    Attributes:
        schema_id (UUID): A saved schema.
        expires_at (datetime.datetime | None | Unset): When the link stops working: an ISO 8601 date and time. null
            means never.
        import_metadata (ImportMetadataDraft | None | Unset):
        max_bytes (int | None | Unset): The total size of the files that may be sent, in bytes. null means no limit.
        max_uses (int | None | Unset): How many files may be sent. null means no limit.
        name (str | Unset): For the organization. The people who use the link do not see it.
        page (UploadPage | Unset): The page on which people upload a file.
        password (None | str | Unset): A password of 8 to 72 bytes that people must enter. null means none.
    """

    schema_id: UUID
    expires_at: datetime.datetime | None | Unset = UNSET
    import_metadata: ImportMetadataDraft | None | Unset = UNSET
    max_bytes: int | None | Unset = UNSET
    max_uses: int | None | Unset = UNSET
    name: str | Unset = UNSET
    page: UploadPage | Unset = UNSET
    password: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.import_metadata_draft import ImportMetadataDraft

        schema_id = str(self.schema_id)

        expires_at: None | str | Unset
        if isinstance(self.expires_at, Unset):
            expires_at = UNSET
        elif isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        import_metadata: dict[str, Any] | None | Unset
        if isinstance(self.import_metadata, Unset):
            import_metadata = UNSET
        elif isinstance(self.import_metadata, ImportMetadataDraft):
            import_metadata = self.import_metadata.to_dict()
        else:
            import_metadata = self.import_metadata

        max_bytes: int | None | Unset
        if isinstance(self.max_bytes, Unset):
            max_bytes = UNSET
        else:
            max_bytes = self.max_bytes

        max_uses: int | None | Unset
        if isinstance(self.max_uses, Unset):
            max_uses = UNSET
        else:
            max_uses = self.max_uses

        name = self.name

        page: dict[str, Any] | Unset = UNSET
        if not isinstance(self.page, Unset):
            page = self.page.to_dict()

        password: None | str | Unset
        if isinstance(self.password, Unset):
            password = UNSET
        else:
            password = self.password

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "schema_id": schema_id,
            }
        )
        if expires_at is not UNSET:
            field_dict["expires_at"] = expires_at
        if import_metadata is not UNSET:
            field_dict["import_metadata"] = import_metadata
        if max_bytes is not UNSET:
            field_dict["max_bytes"] = max_bytes
        if max_uses is not UNSET:
            field_dict["max_uses"] = max_uses
        if name is not UNSET:
            field_dict["name"] = name
        if page is not UNSET:
            field_dict["page"] = page
        if password is not UNSET:
            field_dict["password"] = password

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.import_metadata_draft import ImportMetadataDraft
        from ..models.upload_page import UploadPage

        d = dict(src_dict)
        schema_id = UUID(d.pop("schema_id"))

        def _parse_expires_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        expires_at = _parse_expires_at(d.pop("expires_at", UNSET))

        def _parse_import_metadata(data: object) -> ImportMetadataDraft | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                import_metadata_type_0 = ImportMetadataDraft.from_dict(data)

                return import_metadata_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ImportMetadataDraft | None | Unset, data)

        import_metadata = _parse_import_metadata(d.pop("import_metadata", UNSET))

        def _parse_max_bytes(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_bytes = _parse_max_bytes(d.pop("max_bytes", UNSET))

        def _parse_max_uses(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_uses = _parse_max_uses(d.pop("max_uses", UNSET))

        name = d.pop("name", UNSET)

        _page = d.pop("page", UNSET)
        page: UploadPage | Unset
        if isinstance(_page, Unset):
            page = UNSET
        else:
            page = UploadPage.from_dict(_page)

        def _parse_password(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        password = _parse_password(d.pop("password", UNSET))

        import_link_draft = cls(
            schema_id=schema_id,
            expires_at=expires_at,
            import_metadata=import_metadata,
            max_bytes=max_bytes,
            max_uses=max_uses,
            name=name,
            page=page,
            password=password,
        )

        return import_link_draft
