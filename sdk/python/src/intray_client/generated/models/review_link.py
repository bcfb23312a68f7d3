from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ReviewLink")


@_attrs_define
class ReviewLink:
    """
    Attributes:
        expires_date (datetime.datetime): Time when the link expires. ISO 8601 in UTC with microseconds.
        review_url (str): URL of the page where a person answers questions and fixes rows.
    """

    expires_date: datetime.datetime
    review_url: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        expires_date = self.expires_date.isoformat()

        review_url = self.review_url

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "expires_date": expires_date,
                "review_url": review_url,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        expires_date = datetime.datetime.fromisoformat(d.pop("expires_date"))

        review_url = d.pop("review_url")

        review_link = cls(
            expires_date=expires_date,
            review_url=review_url,
        )

        review_link.additional_properties = d
        return review_link

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
