from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Session")


@_attrs_define
class Session:
    """
    Attributes:
        expires_in (int): Validity of the token in seconds.
        hydration_id (str): The hydration token.
        saved_at (datetime.datetime): ISO 8601 in UTC with microseconds.
        session_id (UUID):
    """

    expires_in: int
    hydration_id: str
    saved_at: datetime.datetime
    session_id: UUID
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        expires_in = self.expires_in

        hydration_id = self.hydration_id

        saved_at = self.saved_at.isoformat()

        session_id = str(self.session_id)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "expiresIn": expires_in,
                "hydrationId": hydration_id,
                "savedAt": saved_at,
                "sessionId": session_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        expires_in = d.pop("expiresIn")

        hydration_id = d.pop("hydrationId")

        saved_at = datetime.datetime.fromisoformat(d.pop("savedAt"))

        session_id = UUID(d.pop("sessionId"))

        session = cls(
            expires_in=expires_in,
            hydration_id=hydration_id,
            saved_at=saved_at,
            session_id=session_id,
        )

        session.additional_properties = d
        return session

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
