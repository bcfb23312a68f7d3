from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="UserDraft")


@_attrs_define
class UserDraft:
    """The person for whom the file is imported.

    Attributes:
        company_id (str | Unset):
        company_name (str | Unset):
        email (str | Unset):
        id (str | Unset): Id of the person in your system.
        name (str | Unset):
    """

    company_id: str | Unset = UNSET
    company_name: str | Unset = UNSET
    email: str | Unset = UNSET
    id: str | Unset = UNSET
    name: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        company_id = self.company_id

        company_name = self.company_name

        email = self.email

        id = self.id

        name = self.name

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if company_id is not UNSET:
            field_dict["companyId"] = company_id
        if company_name is not UNSET:
            field_dict["companyName"] = company_name
        if email is not UNSET:
            field_dict["email"] = email
        if id is not UNSET:
            field_dict["id"] = id
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        company_id = d.pop("companyId", UNSET)

        company_name = d.pop("companyName", UNSET)

        email = d.pop("email", UNSET)

        id = d.pop("id", UNSET)

        name = d.pop("name", UNSET)

        user_draft = cls(
            company_id=company_id,
            company_name=company_name,
            email=email,
            id=id,
            name=name,
        )

        return user_draft
