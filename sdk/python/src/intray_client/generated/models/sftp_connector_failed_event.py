from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.sftp_connector_failed_event_error_params import (
        SftpConnectorFailedEventErrorParams,
    )


T = TypeVar("T", bound="SftpConnectorFailedEvent")


@_attrs_define
class SftpConnectorFailedEvent:
    """The first failed run of an SFTP connector after a successful one.

    Attributes:
        directory (str): The folder of the connector.
        error (str): What went wrong, in English.
        error_type (str): What went wrong, for programs.
        failed_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        id (str): Id of the connector.
        next_run_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        run_id (str): Id of the failed run.
        error_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        error_params (SftpConnectorFailedEventErrorParams | Unset): The parameters of the sentence by name: strings,
            numbers, messages, or lists of strings or messages.
    """

    directory: str
    error: str
    error_type: str
    failed_date: datetime.datetime
    id: str
    next_run_date: datetime.datetime
    run_id: str
    error_code: str | Unset = UNSET
    error_params: SftpConnectorFailedEventErrorParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        directory = self.directory

        error = self.error

        error_type = self.error_type

        failed_date = self.failed_date.isoformat()

        id = self.id

        next_run_date = self.next_run_date.isoformat()

        run_id = self.run_id

        error_code = self.error_code

        error_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error_params, Unset):
            error_params = self.error_params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "directory": directory,
                "error": error,
                "error_type": error_type,
                "failed_date": failed_date,
                "id": id,
                "next_run_date": next_run_date,
                "run_id": run_id,
            }
        )
        if error_code is not UNSET:
            field_dict["error_code"] = error_code
        if error_params is not UNSET:
            field_dict["error_params"] = error_params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.sftp_connector_failed_event_error_params import (
            SftpConnectorFailedEventErrorParams,
        )

        d = dict(src_dict)
        directory = d.pop("directory")

        error = d.pop("error")

        error_type = d.pop("error_type")

        failed_date = datetime.datetime.fromisoformat(d.pop("failed_date"))

        id = d.pop("id")

        next_run_date = datetime.datetime.fromisoformat(d.pop("next_run_date"))

        run_id = d.pop("run_id")

        error_code = d.pop("error_code", UNSET)

        _error_params = d.pop("error_params", UNSET)
        error_params: SftpConnectorFailedEventErrorParams | Unset
        if isinstance(_error_params, Unset):
            error_params = UNSET
        else:
            error_params = SftpConnectorFailedEventErrorParams.from_dict(_error_params)

        sftp_connector_failed_event = cls(
            directory=directory,
            error=error,
            error_type=error_type,
            failed_date=failed_date,
            id=id,
            next_run_date=next_run_date,
            run_id=run_id,
            error_code=error_code,
            error_params=error_params,
        )

        sftp_connector_failed_event.additional_properties = d
        return sftp_connector_failed_event

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
