from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.level import Level, check_level
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.cell_problem_params import CellProblemParams


T = TypeVar("T", bound="CellProblem")


@_attrs_define
class CellProblem:
    """
    Attributes:
        code (str): The rule that the cell breaks.
        level (Level):
        message (str): The sentence in English.
        many_to_one_index (int | Unset): Which of the columns, counted from 0.
        message_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        params (CellProblemParams | Unset): The parameters of the sentence by name: strings, numbers, messages, or lists
            of strings or messages.
    """

    code: str
    level: Level
    message: str
    many_to_one_index: int | Unset = UNSET
    message_code: str | Unset = UNSET
    params: CellProblemParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        level: str = self.level

        message = self.message

        many_to_one_index = self.many_to_one_index

        message_code = self.message_code

        params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.params, Unset):
            params = self.params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "level": level,
                "message": message,
            }
        )
        if many_to_one_index is not UNSET:
            field_dict["manyToOneIndex"] = many_to_one_index
        if message_code is not UNSET:
            field_dict["messageCode"] = message_code
        if params is not UNSET:
            field_dict["params"] = params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.cell_problem_params import CellProblemParams

        d = dict(src_dict)
        code = d.pop("code")

        level = check_level(d.pop("level"))

        message = d.pop("message")

        many_to_one_index = d.pop("manyToOneIndex", UNSET)

        message_code = d.pop("messageCode", UNSET)

        _params = d.pop("params", UNSET)
        params: CellProblemParams | Unset
        if isinstance(_params, Unset):
            params = UNSET
        else:
            params = CellProblemParams.from_dict(_params)

        cell_problem = cls(
            code=code,
            level=level,
            message=message,
            many_to_one_index=many_to_one_index,
            message_code=message_code,
            params=params,
        )

        cell_problem.additional_properties = d
        return cell_problem

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
