from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.message import Message
    from ..models.sftp_connector_run_error_params import SftpConnectorRunErrorParams


T = TypeVar("T", bound="SftpConnectorRun")


@_attrs_define
class SftpConnectorRun:
    """
    Attributes:
        began_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        ended_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        error (str): What went wrong, in English. Empty if nothing did.
        error_type (str): What went wrong, for programs. Empty if nothing did.
        id (UUID): Id of the run.
        num_fetched (int): Files that became imports.
        num_files (int): Files whose names match.
        num_waiting (int): New files that may still change.
        skipped (list[str]): Entries that were skipped, each with the reason.
        skipped_messages (list[Message]): The same reasons as codes with parameters.
        success (bool):
        error_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        error_params (SftpConnectorRunErrorParams | Unset): The parameters of the sentence by name: strings, numbers,
            messages, or lists of strings or messages.
    """

    began_date: datetime.datetime
    ended_date: datetime.datetime
    error: str
    error_type: str
    id: UUID
    num_fetched: int
    num_files: int
    num_waiting: int
    skipped: list[str]
    skipped_messages: list[Message]
    success: bool
    error_code: str | Unset = UNSET
    error_params: SftpConnectorRunErrorParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        began_date = self.began_date.isoformat()

        ended_date = self.ended_date.isoformat()

        error = self.error

        error_type = self.error_type

        id = str(self.id)

        num_fetched = self.num_fetched

        num_files = self.num_files

        num_waiting = self.num_waiting

        skipped = self.skipped

        skipped_messages = []
        for skipped_messages_item_data in self.skipped_messages:
            skipped_messages_item = skipped_messages_item_data.to_dict()
            skipped_messages.append(skipped_messages_item)

        success = self.success

        error_code = self.error_code

        error_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error_params, Unset):
            error_params = self.error_params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "began_date": began_date,
                "ended_date": ended_date,
                "error": error,
                "error_type": error_type,
                "id": id,
                "num_fetched": num_fetched,
                "num_files": num_files,
                "num_waiting": num_waiting,
                "skipped": skipped,
                "skipped_messages": skipped_messages,
                "success": success,
            }
        )
        if error_code is not UNSET:
            field_dict["error_code"] = error_code
        if error_params is not UNSET:
            field_dict["error_params"] = error_params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.message import Message
        from ..models.sftp_connector_run_error_params import SftpConnectorRunErrorParams

        d = dict(src_dict)
        began_date = datetime.datetime.fromisoformat(d.pop("began_date"))

        ended_date = datetime.datetime.fromisoformat(d.pop("ended_date"))

        error = d.pop("error")

        error_type = d.pop("error_type")

        id = UUID(d.pop("id"))

        num_fetched = d.pop("num_fetched")

        num_files = d.pop("num_files")

        num_waiting = d.pop("num_waiting")

        skipped = cast(list[str], d.pop("skipped"))

        skipped_messages = []
        _skipped_messages = d.pop("skipped_messages")
        for skipped_messages_item_data in _skipped_messages:
            skipped_messages_item = Message.from_dict(skipped_messages_item_data)

            skipped_messages.append(skipped_messages_item)

        success = d.pop("success")

        error_code = d.pop("error_code", UNSET)

        _error_params = d.pop("error_params", UNSET)
        error_params: SftpConnectorRunErrorParams | Unset
        if isinstance(_error_params, Unset):
            error_params = UNSET
        else:
            error_params = SftpConnectorRunErrorParams.from_dict(_error_params)

        sftp_connector_run = cls(
            began_date=began_date,
            ended_date=ended_date,
            error=error,
            error_type=error_type,
            id=id,
            num_fetched=num_fetched,
            num_files=num_files,
            num_waiting=num_waiting,
            skipped=skipped,
            skipped_messages=skipped_messages,
            success=success,
            error_code=error_code,
            error_params=error_params,
        )

        sftp_connector_run.additional_properties = d
        return sftp_connector_run

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
