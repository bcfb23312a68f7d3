from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.sftp_delivery_failed_event_status import (
    SftpDeliveryFailedEventStatus,
    check_sftp_delivery_failed_event_status,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.sftp_delivery_failed_event_error_params import (
        SftpDeliveryFailedEventErrorParams,
    )


T = TypeVar("T", bound="SftpDeliveryFailedEvent")


@_attrs_define
class SftpDeliveryFailedEvent:
    """A result that could not be uploaded to an SFTP server.

    Attributes:
        connector_id (str): Id of the connector.
        directory (str): The folder for results.
        error (str): What went wrong, in English.
        error_type (str): Why the attempt failed, for programs.
        failed_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        import_id (str): Id of the import whose result it is.
        next_attempt_date (datetime.datetime | None): null if there is no next attempt. ISO 8601 in UTC with
            microseconds.
        num_attempts (int):
        status (SftpDeliveryFailedEventStatus): FAILED means that the result is not tried again.
        error_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        error_params (SftpDeliveryFailedEventErrorParams | Unset): The parameters of the sentence by name: strings,
            numbers, messages, or lists of strings or messages.
    """

    connector_id: str
    directory: str
    error: str
    error_type: str
    failed_date: datetime.datetime
    import_id: str
    next_attempt_date: datetime.datetime | None
    num_attempts: int
    status: SftpDeliveryFailedEventStatus
    error_code: str | Unset = UNSET
    error_params: SftpDeliveryFailedEventErrorParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        connector_id = self.connector_id

        directory = self.directory

        error = self.error

        error_type = self.error_type

        failed_date = self.failed_date.isoformat()

        import_id = self.import_id

        next_attempt_date: None | str
        if isinstance(self.next_attempt_date, datetime.datetime):
            next_attempt_date = self.next_attempt_date.isoformat()
        else:
            next_attempt_date = self.next_attempt_date

        num_attempts = self.num_attempts

        status: str = self.status

        error_code = self.error_code

        error_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.error_params, Unset):
            error_params = self.error_params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "connector_id": connector_id,
                "directory": directory,
                "error": error,
                "error_type": error_type,
                "failed_date": failed_date,
                "import_id": import_id,
                "next_attempt_date": next_attempt_date,
                "num_attempts": num_attempts,
                "status": status,
            }
        )
        if error_code is not UNSET:
            field_dict["error_code"] = error_code
        if error_params is not UNSET:
            field_dict["error_params"] = error_params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.sftp_delivery_failed_event_error_params import (
            SftpDeliveryFailedEventErrorParams,
        )

        d = dict(src_dict)
        connector_id = d.pop("connector_id")

        directory = d.pop("directory")

        error = d.pop("error")

        error_type = d.pop("error_type")

        failed_date = datetime.datetime.fromisoformat(d.pop("failed_date"))

        import_id = d.pop("import_id")

        def _parse_next_attempt_date(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_attempt_date_type_0 = datetime.datetime.fromisoformat(data)

                return next_attempt_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_attempt_date = _parse_next_attempt_date(d.pop("next_attempt_date"))

        num_attempts = d.pop("num_attempts")

        status = check_sftp_delivery_failed_event_status(d.pop("status"))

        error_code = d.pop("error_code", UNSET)

        _error_params = d.pop("error_params", UNSET)
        error_params: SftpDeliveryFailedEventErrorParams | Unset
        if isinstance(_error_params, Unset):
            error_params = UNSET
        else:
            error_params = SftpDeliveryFailedEventErrorParams.from_dict(_error_params)

        sftp_delivery_failed_event = cls(
            connector_id=connector_id,
            directory=directory,
            error=error,
            error_type=error_type,
            failed_date=failed_date,
            import_id=import_id,
            next_attempt_date=next_attempt_date,
            num_attempts=num_attempts,
            status=status,
            error_code=error_code,
            error_params=error_params,
        )

        sftp_delivery_failed_event.additional_properties = d
        return sftp_delivery_failed_event

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
