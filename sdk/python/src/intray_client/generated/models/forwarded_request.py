from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ForwardedRequest")


@_attrs_define
class ForwardedRequest:
    """The result of a message that a program fetched.

    Attributes:
        delivery_id (str):
        message (str): The result, for people.
        status_code (int): The status of the response; 0 if there was none.
        took_ms (int | Unset):
    """

    delivery_id: str
    message: str
    status_code: int
    took_ms: int | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        delivery_id = self.delivery_id

        message = self.message

        status_code = self.status_code

        took_ms = self.took_ms

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "delivery_id": delivery_id,
                "message": message,
                "status_code": status_code,
            }
        )
        if took_ms is not UNSET:
            field_dict["took_ms"] = took_ms

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        delivery_id = d.pop("delivery_id")

        message = d.pop("message")

        status_code = d.pop("status_code")

        took_ms = d.pop("took_ms", UNSET)

        forwarded_request = cls(
            delivery_id=delivery_id,
            message=message,
            status_code=status_code,
            took_ms=took_ms,
        )

        return forwarded_request
