from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="TokenRequest")


@_attrs_define
class TokenRequest:
    """A token to create.

    Attributes:
        expires_in (int | Unset): How long the hydration token is valid, in seconds. Default: 21600.
    """

    expires_in: int | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        expires_in = self.expires_in

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if expires_in is not UNSET:
            field_dict["expires_in"] = expires_in

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        expires_in = d.pop("expires_in", UNSET)

        token_request = cls(
            expires_in=expires_in,
        )

        return token_request
