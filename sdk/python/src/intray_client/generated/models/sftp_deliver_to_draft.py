from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.sftp_deliver_to_draft_format import (
    SftpDeliverToDraftFormat,
    check_sftp_deliver_to_draft_format,
)

T = TypeVar("T", bound="SftpDeliverToDraft")


@_attrs_define
class SftpDeliverToDraft:
    """Where to upload results. A result is named after its file and the id of its import, with the extension of the
    format.

        Attributes:
            directory (str):
            format_ (SftpDeliverToDraftFormat):
    """

    directory: str
    format_: SftpDeliverToDraftFormat

    def to_dict(self) -> dict[str, Any]:
        directory = self.directory

        format_: str = self.format_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "directory": directory,
                "format": format_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        directory = d.pop("directory")

        format_ = check_sftp_deliver_to_draft_format(d.pop("format"))

        sftp_deliver_to_draft = cls(
            directory=directory,
            format_=format_,
        )

        return sftp_deliver_to_draft
