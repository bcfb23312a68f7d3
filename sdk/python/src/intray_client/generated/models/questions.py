from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.import_status import ImportStatus, check_import_status

if TYPE_CHECKING:
    from ..models.question import Question
    from ..models.questions_answers import QuestionsAnswers


T = TypeVar("T", bound="Questions")


@_attrs_define
class Questions:
    """The questions about an import.

    Attributes:
        answers (QuestionsAnswers): All answers given so far, by question id.
        questions (list[Question]): At most 100 at a time. Empty unless the import is NEEDS_REVIEW.
        status (ImportStatus):
    """

    answers: QuestionsAnswers
    questions: list[Question]
    status: ImportStatus
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        answers = self.answers.to_dict()

        questions = []
        for questions_item_data in self.questions:
            questions_item = questions_item_data.to_dict()
            questions.append(questions_item)

        status: str = self.status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "answers": answers,
                "questions": questions,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.question import Question
        from ..models.questions_answers import QuestionsAnswers

        d = dict(src_dict)
        answers = QuestionsAnswers.from_dict(d.pop("answers"))

        questions = []
        _questions = d.pop("questions")
        for questions_item_data in _questions:
            questions_item = Question.from_dict(questions_item_data)

            questions.append(questions_item)

        status = check_import_status(d.pop("status"))

        questions = cls(
            answers=answers,
            questions=questions,
            status=status,
        )

        questions.additional_properties = d
        return questions

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
