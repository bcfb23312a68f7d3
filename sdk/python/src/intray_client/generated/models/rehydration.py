from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.field import Field
    from ..models.rehydration_hooks import RehydrationHooks
    from ..models.rehydration_rehydrate_state import RehydrationRehydrateState
    from ..models.rehydration_settings import RehydrationSettings


T = TypeVar("T", bound="Rehydration")


@_attrs_define
class Rehydration:
    """The argument of rehydrateHeadless of client libraries.

    Attributes:
        fields (list[Field]): The fields of an import, in the order of the result.
        headless_import_id (UUID): Id of the import.
        hooks (RehydrationHooks): Empty, because the hooks run on the server.
        license_key (str): Opens the review of this import only. It is not an API key.
        rehydrate_state (RehydrationRehydrateState): Empty, because the state is on the server.
        settings (RehydrationSettings): The merged settings, without URLs.
    """

    fields: list[Field]
    headless_import_id: UUID
    hooks: RehydrationHooks
    license_key: str
    rehydrate_state: RehydrationRehydrateState
    settings: RehydrationSettings
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        fields = []
        for componentsschemas_fields_item_data in self.fields:
            componentsschemas_fields_item = componentsschemas_fields_item_data.to_dict()
            fields.append(componentsschemas_fields_item)

        headless_import_id = str(self.headless_import_id)

        hooks = self.hooks.to_dict()

        license_key = self.license_key

        rehydrate_state = self.rehydrate_state.to_dict()

        settings = self.settings.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fields": fields,
                "headlessImportId": headless_import_id,
                "hooks": hooks,
                "licenseKey": license_key,
                "rehydrateState": rehydrate_state,
                "settings": settings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.field import Field
        from ..models.rehydration_hooks import RehydrationHooks
        from ..models.rehydration_rehydrate_state import RehydrationRehydrateState
        from ..models.rehydration_settings import RehydrationSettings

        d = dict(src_dict)
        fields = []
        _fields = d.pop("fields")
        for componentsschemas_fields_item_data in _fields:
            componentsschemas_fields_item = Field.from_dict(componentsschemas_fields_item_data)

            fields.append(componentsschemas_fields_item)

        headless_import_id = UUID(d.pop("headlessImportId"))

        hooks = RehydrationHooks.from_dict(d.pop("hooks"))

        license_key = d.pop("licenseKey")

        rehydrate_state = RehydrationRehydrateState.from_dict(d.pop("rehydrateState"))

        settings = RehydrationSettings.from_dict(d.pop("settings"))

        rehydration = cls(
            fields=fields,
            headless_import_id=headless_import_id,
            hooks=hooks,
            license_key=license_key,
            rehydrate_state=rehydrate_state,
            settings=settings,
        )

        rehydration.additional_properties = d
        return rehydration

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
