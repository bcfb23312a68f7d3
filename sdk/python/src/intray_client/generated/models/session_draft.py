from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="SessionDraft")


@_attrs_define
class SessionDraft:
    """A session to create.

    Attributes:
        expires_in (int | Unset): How long the hydration token is valid, in seconds. Default: 21600.
        import_identifier (str | Unset): A label for the session. Default: "".
    """

    expires_in: int | Unset = UNSET
    import_identifier: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        expires_in = self.expires_in

        import_identifier = self.import_identifier

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if expires_in is not UNSET:
            field_dict["expires_in"] = expires_in
        if import_identifier is not UNSET:
            field_dict["import_identifier"] = import_identifier

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        expires_in = d.pop("expires_in", UNSET)

        import_identifier = d.pop("import_identifier", UNSET)

        session_draft = cls(
            expires_in=expires_in,
            import_identifier=import_identifier,
        )

        return session_draft
