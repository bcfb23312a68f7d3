from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="UploadPage")


@_attrs_define
class UploadPage:
    """The page on which people upload a file.

    Attributes:
        accent_color (str | Unset): The color of buttons and links, in the form #rrggbb.
        company (str | Unset): The name of the company that asks for the file.
        contact (str | Unset): Whom people can ask, such as an e-mail address.
        return_url (str | Unset): An https address that people can return to after the import.
        text (str | Unset): What people should know before they upload a file. Plain text.
        title (str | Unset): The heading, such as Your customer list.
    """

    accent_color: str | Unset = UNSET
    company: str | Unset = UNSET
    contact: str | Unset = UNSET
    return_url: str | Unset = UNSET
    text: str | Unset = UNSET
    title: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        accent_color = self.accent_color

        company = self.company

        contact = self.contact

        return_url = self.return_url

        text = self.text

        title = self.title

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if accent_color is not UNSET:
            field_dict["accentColor"] = accent_color
        if company is not UNSET:
            field_dict["company"] = company
        if contact is not UNSET:
            field_dict["contact"] = contact
        if return_url is not UNSET:
            field_dict["returnUrl"] = return_url
        if text is not UNSET:
            field_dict["text"] = text
        if title is not UNSET:
            field_dict["title"] = title

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        accent_color = d.pop("accentColor", UNSET)

        company = d.pop("company", UNSET)

        contact = d.pop("contact", UNSET)

        return_url = d.pop("returnUrl", UNSET)

        text = d.pop("text", UNSET)

        title = d.pop("title", UNSET)

        upload_page = cls(
            accent_color=accent_color,
            company=company,
            contact=contact,
            return_url=return_url,
            text=text,
            title=title,
        )

        upload_page.additional_properties = d
        return upload_page

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
