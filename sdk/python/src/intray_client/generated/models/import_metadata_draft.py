from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.user_draft import UserDraft


T = TypeVar("T", bound="ImportMetadataDraft")


@_attrs_define
class ImportMetadataDraft:
    """What belongs to an import besides its file.

    Attributes:
        user (None | Unset | UserDraft):
    """

    user: None | Unset | UserDraft = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.user_draft import UserDraft

        user: dict[str, Any] | None | Unset
        if isinstance(self.user, Unset):
            user = UNSET
        elif isinstance(self.user, UserDraft):
            user = self.user.to_dict()
        else:
            user = self.user

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if user is not UNSET:
            field_dict["user"] = user

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.user_draft import UserDraft

        d = dict(src_dict)

        def _parse_user(data: object) -> None | Unset | UserDraft:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                user_type_0 = UserDraft.from_dict(data)

                return user_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Unset | UserDraft, data)

        user = _parse_user(d.pop("user", UNSET))

        import_metadata_draft = cls(
            user=user,
        )

        return import_metadata_draft
