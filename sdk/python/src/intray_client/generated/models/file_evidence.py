from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.file_evidence_reason_params import FileEvidenceReasonParams


T = TypeVar("T", bound="FileEvidence")


@_attrs_define
class FileEvidence:
    """
    Attributes:
        reason (str): The reason in English. May be empty.
        value (str):
        reason_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        reason_params (FileEvidenceReasonParams | Unset): The parameters of the sentence by name: strings, numbers,
            messages, or lists of strings or messages.
    """

    reason: str
    value: str
    reason_code: str | Unset = UNSET
    reason_params: FileEvidenceReasonParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        reason = self.reason

        value = self.value

        reason_code = self.reason_code

        reason_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.reason_params, Unset):
            reason_params = self.reason_params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "reason": reason,
                "value": value,
            }
        )
        if reason_code is not UNSET:
            field_dict["reasonCode"] = reason_code
        if reason_params is not UNSET:
            field_dict["reasonParams"] = reason_params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.file_evidence_reason_params import FileEvidenceReasonParams

        d = dict(src_dict)
        reason = d.pop("reason")

        value = d.pop("value")

        reason_code = d.pop("reasonCode", UNSET)

        _reason_params = d.pop("reasonParams", UNSET)
        reason_params: FileEvidenceReasonParams | Unset
        if isinstance(_reason_params, Unset):
            reason_params = UNSET
        else:
            reason_params = FileEvidenceReasonParams.from_dict(_reason_params)

        file_evidence = cls(
            reason=reason,
            value=value,
            reason_code=reason_code,
            reason_params=reason_params,
        )

        file_evidence.additional_properties = d
        return file_evidence

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
