from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.field import Field
    from ..models.hooks import Hooks
    from ..models.import_draft_initial_data_type_0_item import (
        ImportDraftInitialDataType0Item,
    )
    from ..models.import_metadata_draft import ImportMetadataDraft
    from ..models.settings import Settings


T = TypeVar("T", bound="ImportDraft")


@_attrs_define
class ImportDraft:
    """An import to create. Exactly one of schema_id and fields must be sent.

    Attributes:
        fields (list[Field] | Unset): The fields of an import, in the order of the result.
        hooks (Hooks | Unset): JavaScript functions that run during an import.
        import_metadata (ImportMetadataDraft | None | Unset):
        initial_data (list[ImportDraftInitialDataType0Item] | None | Unset): The rows to import, at most 15,728,640
            bytes as sent, instead of an uploaded file.
        original_filename (None | str | Unset): Name of the file to upload. Not together with initial_data.
        schema_id (UUID | Unset): A saved schema.
        settings (Settings | Unset): The settings of an import. A missing setting has its default.
    """

    fields: list[Field] | Unset = UNSET
    hooks: Hooks | Unset = UNSET
    import_metadata: ImportMetadataDraft | None | Unset = UNSET
    initial_data: list[ImportDraftInitialDataType0Item] | None | Unset = UNSET
    original_filename: None | str | Unset = UNSET
    schema_id: UUID | Unset = UNSET
    settings: Settings | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.import_metadata_draft import ImportMetadataDraft

        fields: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.fields, Unset):
            fields = []
            for componentsschemas_fields_item_data in self.fields:
                componentsschemas_fields_item = componentsschemas_fields_item_data.to_dict()
                fields.append(componentsschemas_fields_item)

        hooks: dict[str, Any] | Unset = UNSET
        if not isinstance(self.hooks, Unset):
            hooks = self.hooks.to_dict()

        import_metadata: dict[str, Any] | None | Unset
        if isinstance(self.import_metadata, Unset):
            import_metadata = UNSET
        elif isinstance(self.import_metadata, ImportMetadataDraft):
            import_metadata = self.import_metadata.to_dict()
        else:
            import_metadata = self.import_metadata

        initial_data: list[dict[str, Any]] | None | Unset
        if isinstance(self.initial_data, Unset):
            initial_data = UNSET
        elif isinstance(self.initial_data, list):
            initial_data = []
            for initial_data_type_0_item_data in self.initial_data:
                initial_data_type_0_item = initial_data_type_0_item_data.to_dict()
                initial_data.append(initial_data_type_0_item)

        else:
            initial_data = self.initial_data

        original_filename: None | str | Unset
        if isinstance(self.original_filename, Unset):
            original_filename = UNSET
        else:
            original_filename = self.original_filename

        schema_id: str | Unset = UNSET
        if not isinstance(self.schema_id, Unset):
            schema_id = str(self.schema_id)

        settings: dict[str, Any] | Unset = UNSET
        if not isinstance(self.settings, Unset):
            settings = self.settings.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if fields is not UNSET:
            field_dict["fields"] = fields
        if hooks is not UNSET:
            field_dict["hooks"] = hooks
        if import_metadata is not UNSET:
            field_dict["import_metadata"] = import_metadata
        if initial_data is not UNSET:
            field_dict["initial_data"] = initial_data
        if original_filename is not UNSET:
            field_dict["original_filename"] = original_filename
        if schema_id is not UNSET:
            field_dict["schema_id"] = schema_id
        if settings is not UNSET:
            field_dict["settings"] = settings

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.field import Field
        from ..models.hooks import Hooks
        from ..models.import_draft_initial_data_type_0_item import (
            ImportDraftInitialDataType0Item,
        )
        from ..models.import_metadata_draft import ImportMetadataDraft
        from ..models.settings import Settings

        d = dict(src_dict)
        _fields = d.pop("fields", UNSET)
        fields: list[Field] | Unset = UNSET
        if _fields is not UNSET:
            fields = []
            for componentsschemas_fields_item_data in _fields:
                componentsschemas_fields_item = Field.from_dict(componentsschemas_fields_item_data)

                fields.append(componentsschemas_fields_item)

        _hooks = d.pop("hooks", UNSET)
        hooks: Hooks | Unset
        if isinstance(_hooks, Unset):
            hooks = UNSET
        else:
            hooks = Hooks.from_dict(_hooks)

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

        def _parse_initial_data(data: object) -> list[ImportDraftInitialDataType0Item] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                initial_data_type_0 = []
                _initial_data_type_0 = data
                for initial_data_type_0_item_data in _initial_data_type_0:
                    initial_data_type_0_item = ImportDraftInitialDataType0Item.from_dict(initial_data_type_0_item_data)

                    initial_data_type_0.append(initial_data_type_0_item)

                return initial_data_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ImportDraftInitialDataType0Item] | None | Unset, data)

        initial_data = _parse_initial_data(d.pop("initial_data", UNSET))

        def _parse_original_filename(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        original_filename = _parse_original_filename(d.pop("original_filename", UNSET))

        _schema_id = d.pop("schema_id", UNSET)
        schema_id: UUID | Unset
        if isinstance(_schema_id, Unset):
            schema_id = UNSET
        else:
            schema_id = UUID(_schema_id)

        _settings = d.pop("settings", UNSET)
        settings: Settings | Unset
        if isinstance(_settings, Unset):
            settings = UNSET
        else:
            settings = Settings.from_dict(_settings)

        import_draft = cls(
            fields=fields,
            hooks=hooks,
            import_metadata=import_metadata,
            initial_data=initial_data,
            original_filename=original_filename,
            schema_id=schema_id,
            settings=settings,
        )

        return import_draft
