from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.sftp_schedule_type import SftpScheduleType, check_sftp_schedule_type
from ..types import UNSET, Unset

T = TypeVar("T", bound="SftpSchedule")


@_attrs_define
class SftpSchedule:
    """
    Attributes:
        type_ (SftpScheduleType):
        minutes (int | Unset):
        time_utc (str | Unset):
    """

    type_: SftpScheduleType
    minutes: int | Unset = UNSET
    time_utc: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_: str = self.type_

        minutes = self.minutes

        time_utc = self.time_utc

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
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
        type_ = check_sftp_schedule_type(d.pop("type"))

        minutes = d.pop("minutes", UNSET)

        time_utc = d.pop("time_utc", UNSET)

        sftp_schedule = cls(
            type_=type_,
            minutes=minutes,
            time_utc=time_utc,
        )

        sftp_schedule.additional_properties = d
        return sftp_schedule

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
