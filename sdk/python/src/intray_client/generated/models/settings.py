from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.settings_backend_sync_mode import (
    SettingsBackendSyncMode,
    check_settings_backend_sync_mode,
)
from ..models.settings_invalid_data_behavior import (
    SettingsInvalidDataBehavior,
    check_settings_invalid_data_behavior,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.settings_initial_data_type_0_item_type_0 import (
        SettingsInitialDataType0ItemType0,
    )
    from ..models.settings_style_overrides import SettingsStyleOverrides


T = TypeVar("T", bound="Settings")


@_attrs_define
class Settings:
    """The settings of an import. A missing setting has its default.

    Attributes:
        allow_custom_fields (bool | Unset): Lets people create fields for columns that match none. The key of such a
            field is the header of the column, and its type is string. Default: false.
        allow_invalid_submit (bool | Unset): Deprecated: use invalidDataBehavior, which takes precedence. The value true
            means INCLUDE_INVALID_ROWS, and false means REMOVE_INVALID_ROWS. Default: false.
        backend_sync (bool | Unset): Deprecated: use backendSyncMode. The value true means FULL_DATA. Default: false.
        backend_sync_mode (SettingsBackendSyncMode | Unset): The data that a browser import stores on the server. Other
            imports always store all data. Default: "DISABLED".
        development_mode (bool | Unset): Marks imports as tests. Default: false.
        display_encoding (bool | Unset): Lets people choose the encoding. Default: true.
        import_identifier (str | Unset): Names the kind of import. Intray reuses people's decisions in later imports
            with the same identifier. Default: "".
        initial_data (list[list[Any] | SettingsInitialDataType0ItemType0] | None | Unset): Rows for a browser import:
            objects keyed by field key, or arrays in field order.
        invalid_data_behavior (SettingsInvalidDataBehavior | Unset): Determines what happens to invalid rows.
            BLOCK_SUBMIT sends the import to review. REMOVE_INVALID_ROWS drops the rows. INCLUDE_INVALID_ROWS keeps them,
            with null in each invalid cell. INCLUDE_INVALID_ROWS_AND_VALUES keeps them, with the raw text in each invalid
            cell. Default: "REMOVE_INVALID_ROWS".
        manual_input_disabled (bool | Unset): Hides manual input. Cannot be combined with manualInputOnly. Default:
            false.
        manual_input_only (bool | Unset): Allows manual input only. Cannot be combined with manualInputDisabled.
            Default: false.
        max_file_size (int | Unset): The maximum size of a file in bytes, at most 1 GiB. Default: 1073741824.
        max_records (int | None | Unset): The maximum number of data rows. Intray drops further rows with a warning. The
            value null means no limit.
        needs_review_webhook_url (None | str | Unset): The URL to which Intray sends a form POST with headlessImportId
            for each import that needs review. The value is an absolute http or https URL of at most 2,048 characters.
        pass_through_unmapped_columns (bool | Unset): Adds the raw text of unmapped columns to each row, under
            $unmapped, keyed by column index. Default: false.
        style_overrides (SettingsStyleOverrides | Unset): Styles of the review page and the browser importer.
        title (str | Unset): The title of the review page. Default: "".
        webhook_url (None | str | Unset): The URL to which Intray sends a form POST with uploadId for each completed
            import. The value is an absolute http or https URL of at most 2,048 characters.
    """

    allow_custom_fields: bool | Unset = UNSET
    allow_invalid_submit: bool | Unset = UNSET
    backend_sync: bool | Unset = UNSET
    backend_sync_mode: SettingsBackendSyncMode | Unset = UNSET
    development_mode: bool | Unset = UNSET
    display_encoding: bool | Unset = UNSET
    import_identifier: str | Unset = UNSET
    initial_data: list[list[Any] | SettingsInitialDataType0ItemType0] | None | Unset = UNSET
    invalid_data_behavior: SettingsInvalidDataBehavior | Unset = UNSET
    manual_input_disabled: bool | Unset = UNSET
    manual_input_only: bool | Unset = UNSET
    max_file_size: int | Unset = UNSET
    max_records: int | None | Unset = UNSET
    needs_review_webhook_url: None | str | Unset = UNSET
    pass_through_unmapped_columns: bool | Unset = UNSET
    style_overrides: SettingsStyleOverrides | Unset = UNSET
    title: str | Unset = UNSET
    webhook_url: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.settings_initial_data_type_0_item_type_0 import (
            SettingsInitialDataType0ItemType0,
        )

        allow_custom_fields = self.allow_custom_fields

        allow_invalid_submit = self.allow_invalid_submit

        backend_sync = self.backend_sync

        backend_sync_mode: str | Unset = UNSET
        if not isinstance(self.backend_sync_mode, Unset):
            backend_sync_mode = self.backend_sync_mode

        development_mode = self.development_mode

        display_encoding = self.display_encoding

        import_identifier = self.import_identifier

        initial_data: list[dict[str, Any] | list[Any]] | None | Unset
        if isinstance(self.initial_data, Unset):
            initial_data = UNSET
        elif isinstance(self.initial_data, list):
            initial_data = []
            for initial_data_type_0_item_data in self.initial_data:
                initial_data_type_0_item: dict[str, Any] | list[Any]
                if isinstance(initial_data_type_0_item_data, SettingsInitialDataType0ItemType0):
                    initial_data_type_0_item = initial_data_type_0_item_data.to_dict()
                else:
                    initial_data_type_0_item = initial_data_type_0_item_data

                initial_data.append(initial_data_type_0_item)

        else:
            initial_data = self.initial_data

        invalid_data_behavior: str | Unset = UNSET
        if not isinstance(self.invalid_data_behavior, Unset):
            invalid_data_behavior = self.invalid_data_behavior

        manual_input_disabled = self.manual_input_disabled

        manual_input_only = self.manual_input_only

        max_file_size = self.max_file_size

        max_records: int | None | Unset
        if isinstance(self.max_records, Unset):
            max_records = UNSET
        else:
            max_records = self.max_records

        needs_review_webhook_url: None | str | Unset
        if isinstance(self.needs_review_webhook_url, Unset):
            needs_review_webhook_url = UNSET
        else:
            needs_review_webhook_url = self.needs_review_webhook_url

        pass_through_unmapped_columns = self.pass_through_unmapped_columns

        style_overrides: dict[str, Any] | Unset = UNSET
        if not isinstance(self.style_overrides, Unset):
            style_overrides = self.style_overrides.to_dict()

        title = self.title

        webhook_url: None | str | Unset
        if isinstance(self.webhook_url, Unset):
            webhook_url = UNSET
        else:
            webhook_url = self.webhook_url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if allow_custom_fields is not UNSET:
            field_dict["allowCustomFields"] = allow_custom_fields
        if allow_invalid_submit is not UNSET:
            field_dict["allowInvalidSubmit"] = allow_invalid_submit
        if backend_sync is not UNSET:
            field_dict["backendSync"] = backend_sync
        if backend_sync_mode is not UNSET:
            field_dict["backendSyncMode"] = backend_sync_mode
        if development_mode is not UNSET:
            field_dict["developmentMode"] = development_mode
        if display_encoding is not UNSET:
            field_dict["displayEncoding"] = display_encoding
        if import_identifier is not UNSET:
            field_dict["importIdentifier"] = import_identifier
        if initial_data is not UNSET:
            field_dict["initialData"] = initial_data
        if invalid_data_behavior is not UNSET:
            field_dict["invalidDataBehavior"] = invalid_data_behavior
        if manual_input_disabled is not UNSET:
            field_dict["manualInputDisabled"] = manual_input_disabled
        if manual_input_only is not UNSET:
            field_dict["manualInputOnly"] = manual_input_only
        if max_file_size is not UNSET:
            field_dict["maxFileSize"] = max_file_size
        if max_records is not UNSET:
            field_dict["maxRecords"] = max_records
        if needs_review_webhook_url is not UNSET:
            field_dict["needsReviewWebhookUrl"] = needs_review_webhook_url
        if pass_through_unmapped_columns is not UNSET:
            field_dict["passThroughUnmappedColumns"] = pass_through_unmapped_columns
        if style_overrides is not UNSET:
            field_dict["styleOverrides"] = style_overrides
        if title is not UNSET:
            field_dict["title"] = title
        if webhook_url is not UNSET:
            field_dict["webhookUrl"] = webhook_url

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.settings_initial_data_type_0_item_type_0 import (
            SettingsInitialDataType0ItemType0,
        )
        from ..models.settings_style_overrides import SettingsStyleOverrides

        d = dict(src_dict)
        allow_custom_fields = d.pop("allowCustomFields", UNSET)

        allow_invalid_submit = d.pop("allowInvalidSubmit", UNSET)

        backend_sync = d.pop("backendSync", UNSET)

        _backend_sync_mode = d.pop("backendSyncMode", UNSET)
        backend_sync_mode: SettingsBackendSyncMode | Unset
        if isinstance(_backend_sync_mode, Unset):
            backend_sync_mode = UNSET
        else:
            backend_sync_mode = check_settings_backend_sync_mode(_backend_sync_mode)

        development_mode = d.pop("developmentMode", UNSET)

        display_encoding = d.pop("displayEncoding", UNSET)

        import_identifier = d.pop("importIdentifier", UNSET)

        def _parse_initial_data(data: object) -> list[list[Any] | SettingsInitialDataType0ItemType0] | None | Unset:
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

                    def _parse_initial_data_type_0_item(data: object) -> list[Any] | SettingsInitialDataType0ItemType0:
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            initial_data_type_0_item_type_0 = SettingsInitialDataType0ItemType0.from_dict(data)

                            return initial_data_type_0_item_type_0
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        if not isinstance(data, list):
                            raise TypeError()
                        initial_data_type_0_item_type_1 = cast(list[Any], data)

                        return initial_data_type_0_item_type_1

                    initial_data_type_0_item = _parse_initial_data_type_0_item(initial_data_type_0_item_data)

                    initial_data_type_0.append(initial_data_type_0_item)

                return initial_data_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[list[Any] | SettingsInitialDataType0ItemType0] | None | Unset, data)

        initial_data = _parse_initial_data(d.pop("initialData", UNSET))

        _invalid_data_behavior = d.pop("invalidDataBehavior", UNSET)
        invalid_data_behavior: SettingsInvalidDataBehavior | Unset
        if isinstance(_invalid_data_behavior, Unset):
            invalid_data_behavior = UNSET
        else:
            invalid_data_behavior = check_settings_invalid_data_behavior(_invalid_data_behavior)

        manual_input_disabled = d.pop("manualInputDisabled", UNSET)

        manual_input_only = d.pop("manualInputOnly", UNSET)

        max_file_size = d.pop("maxFileSize", UNSET)

        def _parse_max_records(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_records = _parse_max_records(d.pop("maxRecords", UNSET))

        def _parse_needs_review_webhook_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        needs_review_webhook_url = _parse_needs_review_webhook_url(d.pop("needsReviewWebhookUrl", UNSET))

        pass_through_unmapped_columns = d.pop("passThroughUnmappedColumns", UNSET)

        _style_overrides = d.pop("styleOverrides", UNSET)
        style_overrides: SettingsStyleOverrides | Unset
        if isinstance(_style_overrides, Unset):
            style_overrides = UNSET
        else:
            style_overrides = SettingsStyleOverrides.from_dict(_style_overrides)

        title = d.pop("title", UNSET)

        def _parse_webhook_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        webhook_url = _parse_webhook_url(d.pop("webhookUrl", UNSET))

        settings = cls(
            allow_custom_fields=allow_custom_fields,
            allow_invalid_submit=allow_invalid_submit,
            backend_sync=backend_sync,
            backend_sync_mode=backend_sync_mode,
            development_mode=development_mode,
            display_encoding=display_encoding,
            import_identifier=import_identifier,
            initial_data=initial_data,
            invalid_data_behavior=invalid_data_behavior,
            manual_input_disabled=manual_input_disabled,
            manual_input_only=manual_input_only,
            max_file_size=max_file_size,
            max_records=max_records,
            needs_review_webhook_url=needs_review_webhook_url,
            pass_through_unmapped_columns=pass_through_unmapped_columns,
            style_overrides=style_overrides,
            title=title,
            webhook_url=webhook_url,
        )

        settings.additional_properties = d
        return settings

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
