from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="EventUser")


@_attrs_define
class EventUser:
    """The person for whom the file was imported. Unknown values are null.

    Attributes:
        company_id (None | str):
        company_name (None | str):
        email (None | str):
        id (None | str): Id of the person in your system.
        name (None | str):
    """

    company_id: None | str
    company_name: None | str
    email: None | str
    id: None | str
    name: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        company_id: None | str
        company_id = self.company_id

        company_name: None | str
        company_name = self.company_name

        email: None | str
        email = self.email

        id: None | str
        id = self.id

        name: None | str
        name = self.name

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "company_id": company_id,
                "company_name": company_name,
                "email": email,
                "id": id,
                "name": name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_company_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        company_id = _parse_company_id(d.pop("company_id"))

        def _parse_company_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        company_name = _parse_company_name(d.pop("company_name"))

        def _parse_email(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        email = _parse_email(d.pop("email"))

        def _parse_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        id = _parse_id(d.pop("id"))

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        event_user = cls(
            company_id=company_id,
            company_name=company_name,
            email=email,
            id=id,
            name=name,
        )

        event_user.additional_properties = d
        return event_user

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
