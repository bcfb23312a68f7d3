from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.answers_request_answers import AnswersRequestAnswers


T = TypeVar("T", bound="AnswersRequest")


@_attrs_define
class AnswersRequest:
    """Answers to questions.

    Attributes:
        answers (AnswersRequestAnswers): By question id: the value of one of its choices, the index of any column if
            anyColumn is true, several indexes joined by commas if manyColumns is true, or null to withdraw an earlier
            answer. Two answers that assign one column to two fields are refused. value:<field key>:<raw value> needs no
            question: the answer is the value that cells with this raw value are read as, by any of its names, or "" for
            none.
        discard (bool | Unset): Confirm that changes to rows are lost when the import runs again. Otherwise the answers
            are refused with 409, the code discards_changes and the number of changes.
    """

    answers: AnswersRequestAnswers
    discard: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        answers = self.answers.to_dict()

        discard = self.discard

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "answers": answers,
            }
        )
        if discard is not UNSET:
            field_dict["discard"] = discard

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.answers_request_answers import AnswersRequestAnswers

        d = dict(src_dict)
        answers = AnswersRequestAnswers.from_dict(d.pop("answers"))

        discard = d.pop("discard", UNSET)

        answers_request = cls(
            answers=answers,
            discard=discard,
        )

        return answers_request
