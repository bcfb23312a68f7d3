from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.schema_extensions_fields import SchemaExtensionsFields
    from ..models.upload_page import UploadPage


T = TypeVar("T", bound="SchemaExtensions")


@_attrs_define
class SchemaExtensions:
    """The extensions of a schema.

    Attributes:
        fields (SchemaExtensionsFields | Unset): The extensions of fields, by the keys of the fields.
        page (UploadPage | Unset): The page on which people upload a file.
    """

    fields: SchemaExtensionsFields | Unset = UNSET
    page: UploadPage | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] | Unset = UNSET
        if not isinstance(self.fields, Unset):
            fields = self.fields.to_dict()

        page: dict[str, Any] | Unset = UNSET
        if not isinstance(self.page, Unset):
            page = self.page.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if fields is not UNSET:
            field_dict["fields"] = fields
        if page is not UNSET:
            field_dict["page"] = page

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.schema_extensions_fields import SchemaExtensionsFields
        from ..models.upload_page import UploadPage

        d = dict(src_dict)
        _fields = d.pop("fields", UNSET)
        fields: SchemaExtensionsFields | Unset
        if isinstance(_fields, Unset):
            fields = UNSET
        else:
            fields = SchemaExtensionsFields.from_dict(_fields)

        _page = d.pop("page", UNSET)
        page: UploadPage | Unset
        if isinstance(_page, Unset):
            page = UNSET
        else:
            page = UploadPage.from_dict(_page)

        schema_extensions = cls(
            fields=fields,
            page=page,
        )

        schema_extensions.additional_properties = d
        return schema_extensions

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
