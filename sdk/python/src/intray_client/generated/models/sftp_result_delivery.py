from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.sftp_result_delivery_status import (
    SftpResultDeliveryStatus,
    check_sftp_result_delivery_status,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.sftp_result_delivery_error_params import SftpResultDeliveryErrorParams


T = TypeVar("T", bound="SftpResultDelivery")


@_attrs_define
class SftpResultDelivery:
    """
    Attributes:
        error (str): What went wrong, in English. Empty if nothing did.
        error_type (str): Why the last attempt failed, for programs. Empty if it did not.
        file (str): Path of the file that was imported.
        import_id (UUID):
        next_attempt_date (datetime.datetime | None): null unless the status is WAITING. ISO 8601 in UTC with
            microseconds.
        num_attempts (int):
        status (SftpResultDeliveryStatus): FAILED means that the result is not tried again.
        error_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        error_params (SftpResultDeliveryErrorParams | Unset): The parameters of the sentence by name: strings, numbers,
            messages, or lists of strings or messages.
    """

    error: str
    error_type: str
    file: str
    import_id: UUID
    next_attempt_date: datetime.datetime | None
    num_attempts: int
    status: SftpResultDeliveryStatus
    error_code: str | Unset = UNSET
    error_params: SftpResultDeliveryErrorParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        error = self.error

        error_type = self.error_type

        file = self.file

        import_id = str(self.import_id)

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
                "error": error,
                "error_type": error_type,
                "file": file,
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
        from ..models.sftp_result_delivery_error_params import (
            SftpResultDeliveryErrorParams,
        )

        d = dict(src_dict)
        error = d.pop("error")

        error_type = d.pop("error_type")

        file = d.pop("file")

        import_id = UUID(d.pop("import_id"))

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

        status = check_sftp_result_delivery_status(d.pop("status"))

        error_code = d.pop("error_code", UNSET)

        _error_params = d.pop("error_params", UNSET)
        error_params: SftpResultDeliveryErrorParams | Unset
        if isinstance(_error_params, Unset):
            error_params = UNSET
        else:
            error_params = SftpResultDeliveryErrorParams.from_dict(_error_params)

        sftp_result_delivery = cls(
            error=error,
            error_type=error_type,
            file=file,
            import_id=import_id,
            next_attempt_date=next_attempt_date,
            num_attempts=num_attempts,
            status=status,
            error_code=error_code,
            error_params=error_params,
        )

        sftp_result_delivery.additional_properties = d
        return sftp_result_delivery

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
