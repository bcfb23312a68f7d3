from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.sftp_schedule_draft_type import (
    SftpScheduleDraftType,
    check_sftp_schedule_draft_type,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="SftpScheduleDraft")


@_attrs_define
class SftpScheduleDraft:
    """When a connector runs.

    Attributes:
        type_ (SftpScheduleDraftType):
        minutes (int | Unset): For every_n_minutes: 5 or more.
        time_utc (str | Unset): For daily_at_time: HH:MM in UTC.
    """

    type_: SftpScheduleDraftType
    minutes: int | Unset = UNSET
    time_utc: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        type_: str = self.type_

        minutes = self.minutes

        time_utc = self.time_utc

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "type": type_,
            }
        )
        if minutes is not UNSET:
            field_dict["minutes"] = minutes
        if time_utc is not UNSET:
            field_dict["time_utc"] = time_utc

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        type_ = check_sftp_schedule_draft_type(d.pop("type"))

        minutes = d.pop("minutes", UNSET)

        time_utc = d.pop("time_utc", UNSET)

        sftp_schedule_draft = cls(
            type_=type_,
            minutes=minutes,
            time_utc=time_utc,
        )

        return sftp_schedule_draft
