from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.import_event_import_type import (
    ImportEventImportType,
    check_import_event_import_type,
)
from ..models.import_status import ImportStatus, check_import_status
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.event_import import EventImport
    from ..models.event_user import EventUser


T = TypeVar("T", bound="ImportEvent")


@_attrs_define
class ImportEvent:
    """An import that ended or waits for a person.

    Attributes:
        created_date (datetime.datetime): When the import reached its status. ISO 8601 in UTC with microseconds.
        development_mode (bool):
        filename (None | str): null if the rows came without a file.
        has_data (bool): The rows can be retrieved.
        id (str): Id of the upload.
        import_type (ImportEventImportType): HEADLESS means that it was created through the API.
        num_data_rows (int):
        status (ImportStatus):
        user (EventUser | None):
        headless (EventImport | Unset): An import, without its URLs.
    """

    created_date: datetime.datetime
    development_mode: bool
    filename: None | str
    has_data: bool
    id: str
    import_type: ImportEventImportType
    num_data_rows: int
    status: ImportStatus
    user: EventUser | None
    headless: EventImport | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.event_user import EventUser

        created_date = self.created_date.isoformat()

        development_mode = self.development_mode

        filename: None | str
        filename = self.filename

        has_data = self.has_data

        id = self.id

        import_type: str = self.import_type

        num_data_rows = self.num_data_rows

        status: str = self.status

        user: dict[str, Any] | None
        if isinstance(self.user, EventUser):
            user = self.user.to_dict()
        else:
            user = self.user

        headless: dict[str, Any] | Unset = UNSET
        if not isinstance(self.headless, Unset):
            headless = self.headless.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_date": created_date,
                "development_mode": development_mode,
                "filename": filename,
                "has_data": has_data,
                "id": id,
                "import_type": import_type,
                "num_data_rows": num_data_rows,
                "status": status,
                "user": user,
            }
        )
        if headless is not UNSET:
            field_dict["headless"] = headless

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.event_import import EventImport
        from ..models.event_user import EventUser

        d = dict(src_dict)
        created_date = datetime.datetime.fromisoformat(d.pop("created_date"))

        development_mode = d.pop("development_mode")

        def _parse_filename(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        filename = _parse_filename(d.pop("filename"))

        has_data = d.pop("has_data")

        id = d.pop("id")

        import_type = check_import_event_import_type(d.pop("import_type"))

        num_data_rows = d.pop("num_data_rows")

        status = check_import_status(d.pop("status"))

        def _parse_user(data: object) -> EventUser | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                user_type_0 = EventUser.from_dict(data)

                return user_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(EventUser | None, data)

        user = _parse_user(d.pop("user"))

        _headless = d.pop("headless", UNSET)
        headless: EventImport | Unset
        if isinstance(_headless, Unset):
            headless = UNSET
        else:
            headless = EventImport.from_dict(_headless)

        import_event = cls(
            created_date=created_date,
            development_mode=development_mode,
            filename=filename,
            has_data=has_data,
            id=id,
            import_type=import_type,
            num_data_rows=num_data_rows,
            status=status,
            user=user,
            headless=headless,
        )

        import_event.additional_properties = d
        return import_event

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
