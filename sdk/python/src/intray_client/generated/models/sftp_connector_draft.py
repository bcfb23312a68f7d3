from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.sftp_deliver_to_draft import SftpDeliverToDraft
    from ..models.sftp_schedule_draft import SftpScheduleDraft


T = TypeVar("T", bound="SftpConnectorDraft")


@_attrs_define
class SftpConnectorDraft:
    """A connector to create, or what replaces it.

    Attributes:
        credentials (UUID): An SFTP credential.
        directory (str): For example /uploads.
        schedule (SftpScheduleDraft): When a connector runs.
        schema (UUID): A saved schema.
        deliver_to (None | SftpDeliverToDraft | Unset):
        file_regex (None | str | Unset): A regular expression (RE2) that file names must match. Default: all files.
    """

    credentials: UUID
    directory: str
    schedule: SftpScheduleDraft
    schema: UUID
    deliver_to: None | SftpDeliverToDraft | Unset = UNSET
    file_regex: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.sftp_deliver_to_draft import SftpDeliverToDraft

        credentials = str(self.credentials)

        directory = self.directory

        schedule = self.schedule.to_dict()

        schema = str(self.schema)

        deliver_to: dict[str, Any] | None | Unset
        if isinstance(self.deliver_to, Unset):
            deliver_to = UNSET
        elif isinstance(self.deliver_to, SftpDeliverToDraft):
            deliver_to = self.deliver_to.to_dict()
        else:
            deliver_to = self.deliver_to

        file_regex: None | str | Unset
        if isinstance(self.file_regex, Unset):
            file_regex = UNSET
        else:
            file_regex = self.file_regex

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "credentials": credentials,
                "directory": directory,
                "schedule": schedule,
                "schema": schema,
            }
        )
        if deliver_to is not UNSET:
            field_dict["deliver_to"] = deliver_to
        if file_regex is not UNSET:
            field_dict["file_regex"] = file_regex

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.sftp_deliver_to_draft import SftpDeliverToDraft
        from ..models.sftp_schedule_draft import SftpScheduleDraft

        d = dict(src_dict)
        credentials = UUID(d.pop("credentials"))

        directory = d.pop("directory")

        schedule = SftpScheduleDraft.from_dict(d.pop("schedule"))

        schema = UUID(d.pop("schema"))

        def _parse_deliver_to(data: object) -> None | SftpDeliverToDraft | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                deliver_to_type_0 = SftpDeliverToDraft.from_dict(data)

                return deliver_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SftpDeliverToDraft | Unset, data)

        deliver_to = _parse_deliver_to(d.pop("deliver_to", UNSET))

        def _parse_file_regex(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        file_regex = _parse_file_regex(d.pop("file_regex", UNSET))

        sftp_connector_draft = cls(
            credentials=credentials,
            directory=directory,
            schedule=schedule,
            schema=schema,
            deliver_to=deliver_to,
            file_regex=file_regex,
        )

        return sftp_connector_draft
