from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.sftp_deliver_to import SftpDeliverTo
    from ..models.sftp_schedule import SftpSchedule


T = TypeVar("T", bound="SftpConnector")


@_attrs_define
class SftpConnector:
    """
    Attributes:
        created_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        credentials (UUID):
        deliver_to (None | SftpDeliverTo):
        directory (str):
        file_regex (None | str):
        id (UUID): Id of the connector.
        last_run_date (datetime.datetime | None): ISO 8601 in UTC with microseconds.
        next_run_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        num_failed_deliveries (int): Number of results whose last attempt at delivery failed.
        num_failures (int): Number of failed runs since the last successful one.
        schedule (SftpSchedule):
        schema (UUID):
    """

    created_date: datetime.datetime
    credentials: UUID
    deliver_to: None | SftpDeliverTo
    directory: str
    file_regex: None | str
    id: UUID
    last_run_date: datetime.datetime | None
    next_run_date: datetime.datetime
    num_failed_deliveries: int
    num_failures: int
    schedule: SftpSchedule
    schema: UUID
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.sftp_deliver_to import SftpDeliverTo

        created_date = self.created_date.isoformat()

        credentials = str(self.credentials)

        deliver_to: dict[str, Any] | None
        if isinstance(self.deliver_to, SftpDeliverTo):
            deliver_to = self.deliver_to.to_dict()
        else:
            deliver_to = self.deliver_to

        directory = self.directory

        file_regex: None | str
        file_regex = self.file_regex

        id = str(self.id)

        last_run_date: None | str
        if isinstance(self.last_run_date, datetime.datetime):
            last_run_date = self.last_run_date.isoformat()
        else:
            last_run_date = self.last_run_date

        next_run_date = self.next_run_date.isoformat()

        num_failed_deliveries = self.num_failed_deliveries

        num_failures = self.num_failures

        schedule = self.schedule.to_dict()

        schema = str(self.schema)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_date": created_date,
                "credentials": credentials,
                "deliver_to": deliver_to,
                "directory": directory,
                "file_regex": file_regex,
                "id": id,
                "last_run_date": last_run_date,
                "next_run_date": next_run_date,
                "num_failed_deliveries": num_failed_deliveries,
                "num_failures": num_failures,
                "schedule": schedule,
                "schema": schema,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.sftp_deliver_to import SftpDeliverTo
        from ..models.sftp_schedule import SftpSchedule

        d = dict(src_dict)
        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        credentials = UUID(d.pop("credentials"))

        def _parse_deliver_to(data: object) -> None | SftpDeliverTo:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                deliver_to_type_0 = SftpDeliverTo.from_dict(data)

                return deliver_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SftpDeliverTo, data)

        deliver_to = _parse_deliver_to(d.pop("deliver_to"))

        directory = d.pop("directory")

        def _parse_file_regex(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        file_regex = _parse_file_regex(d.pop("file_regex"))

        id = UUID(d.pop("id"))

        def _parse_last_run_date(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_run_date_type_0 = datetime.datetime.fromisoformat(data)

                return last_run_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_run_date = _parse_last_run_date(d.pop("last_run_date"))

        next_run_date = datetime.datetime.fromisoformat(d.pop("next_run_date"))

        num_failed_deliveries = d.pop("num_failed_deliveries")

        num_failures = d.pop("num_failures")

        schedule = SftpSchedule.from_dict(d.pop("schedule"))

        schema = UUID(d.pop("schema"))

        sftp_connector = cls(
            created_date=created_date,
            credentials=credentials,
            deliver_to=deliver_to,
            directory=directory,
            file_regex=file_regex,
            id=id,
            last_run_date=last_run_date,
            next_run_date=next_run_date,
            num_failed_deliveries=num_failed_deliveries,
            num_failures=num_failures,
            schedule=schedule,
            schema=schema,
        )

        sftp_connector.additional_properties = d
        return sftp_connector

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
