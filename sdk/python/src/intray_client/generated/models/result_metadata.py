from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.result_metadata_fields import ResultMetadataFields
    from ..models.result_metadata_source import ResultMetadataSource
    from ..models.user import User


T = TypeVar("T", bound="ResultMetadata")


@_attrs_define
class ResultMetadata:
    """What the import found out about the file. null before a run has ended.

    Attributes:
        fields (ResultMetadataFields): By field key.
        filename (None | str):
        id (UUID): Id of the upload.
        import_identifier (str):
        num_data_rows (int):
        num_output_rows (int):
        num_rows_with_error (int):
        raw_headers (list[str] | None):
        rows_with_error (list[int]): The first 10,000 data rows with an error, counted from 0.
        sha256 (str): SHA-256 of the received file, in hexadecimal.
        source (ResultMetadataSource): What Intray decided about the file (format, encoding, delimiter, header row),
            each with the reason.
        user (None | User):
    """

    fields: ResultMetadataFields
    filename: None | str
    id: UUID
    import_identifier: str
    num_data_rows: int
    num_output_rows: int
    num_rows_with_error: int
    raw_headers: list[str] | None
    rows_with_error: list[int]
    sha256: str
    source: ResultMetadataSource
    user: None | User
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.user import User

        fields = self.fields.to_dict()

        filename: None | str
        filename = self.filename

        id = str(self.id)

        import_identifier = self.import_identifier

        num_data_rows = self.num_data_rows

        num_output_rows = self.num_output_rows

        num_rows_with_error = self.num_rows_with_error

        raw_headers: list[str] | None
        if isinstance(self.raw_headers, list):
            raw_headers = self.raw_headers

        else:
            raw_headers = self.raw_headers

        rows_with_error = self.rows_with_error

        sha256 = self.sha256

        source = self.source.to_dict()

        user: dict[str, Any] | None
        if isinstance(self.user, User):
            user = self.user.to_dict()
        else:
            user = self.user

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fields": fields,
                "filename": filename,
                "id": id,
                "importIdentifier": import_identifier,
                "numDataRows": num_data_rows,
                "numOutputRows": num_output_rows,
                "numRowsWithError": num_rows_with_error,
                "rawHeaders": raw_headers,
                "rowsWithError": rows_with_error,
                "sha256": sha256,
                "source": source,
                "user": user,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.result_metadata_fields import ResultMetadataFields
        from ..models.result_metadata_source import ResultMetadataSource
        from ..models.user import User

        d = dict(src_dict)
        fields = ResultMetadataFields.from_dict(d.pop("fields"))

        def _parse_filename(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        filename = _parse_filename(d.pop("filename"))

        id = UUID(d.pop("id"))

        import_identifier = d.pop("importIdentifier")

        num_data_rows = d.pop("numDataRows")

        num_output_rows = d.pop("numOutputRows")

        num_rows_with_error = d.pop("numRowsWithError")

        def _parse_raw_headers(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                raw_headers_type_0 = cast(list[str], data)

                return raw_headers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        raw_headers = _parse_raw_headers(d.pop("rawHeaders"))

        rows_with_error = cast(list[int], d.pop("rowsWithError"))

        sha256 = d.pop("sha256")

        source = ResultMetadataSource.from_dict(d.pop("source"))

        def _parse_user(data: object) -> None | User:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                user_type_0 = User.from_dict(data)

                return user_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | User, data)

        user = _parse_user(d.pop("user"))

        result_metadata = cls(
            fields=fields,
            filename=filename,
            id=id,
            import_identifier=import_identifier,
            num_data_rows=num_data_rows,
            num_output_rows=num_output_rows,
            num_rows_with_error=num_rows_with_error,
            raw_headers=raw_headers,
            rows_with_error=rows_with_error,
            sha256=sha256,
            source=source,
            user=user,
        )

        result_metadata.additional_properties = d
        return result_metadata

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
