from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="RedeliverRequest")


@_attrs_define
class RedeliverRequest:
    """Which messages to send again: exactly one of the properties.

    Attributes:
        delivery_id (str | Unset): One delivery.
        since (datetime.datetime | Unset): All deliveries since this ISO 8601 date and time.
    """

    delivery_id: str | Unset = UNSET
    since: datetime.datetime | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        delivery_id = self.delivery_id

        since: str | Unset = UNSET
        if not isinstance(self.since, Unset):
            since = self.since.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if delivery_id is not UNSET:
            field_dict["delivery_id"] = delivery_id
        if since is not UNSET:
            field_dict["since"] = since

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        delivery_id = d.pop("delivery_id", UNSET)

        _since = d.pop("since", UNSET)
        since: datetime.datetime | Unset
        if isinstance(_since, Unset):
            since = UNSET
        else:
            since = datetime.datetime.fromisoformat(_since)

        redeliver_request = cls(
            delivery_id=delivery_id,
            since=since,
        )

        return redeliver_request
