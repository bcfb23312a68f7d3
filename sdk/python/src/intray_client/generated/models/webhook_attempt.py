from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.webhook_attempt_params import WebhookAttemptParams
    from ..models.webhook_attempt_response_headers import WebhookAttemptResponseHeaders


T = TypeVar("T", bound="WebhookAttempt")


@_attrs_define
class WebhookAttempt:
    """
    Attributes:
        answered_ms (float): Time to the response headers, in milliseconds.
        date (datetime.datetime): ISO 8601 in UTC with microseconds.
        delivered (bool):
        message (str): The sentence in English.
        number (int):
        response_body (str): The first 16 KiB.
        response_headers (WebhookAttemptResponseHeaders):
        status_code (int | None):
        took_ms (float): Time to the end of the response, in milliseconds.
        message_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        params (WebhookAttemptParams | Unset): The parameters of the sentence by name: strings, numbers, messages, or
            lists of strings or messages.
    """

    answered_ms: float
    date: datetime.datetime
    delivered: bool
    message: str
    number: int
    response_body: str
    response_headers: WebhookAttemptResponseHeaders
    status_code: int | None
    took_ms: float
    message_code: str | Unset = UNSET
    params: WebhookAttemptParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        answered_ms = self.answered_ms

        date = self.date.isoformat()

        delivered = self.delivered

        message = self.message

        number = self.number

        response_body = self.response_body

        response_headers = self.response_headers.to_dict()

        status_code: int | None
        status_code = self.status_code

        took_ms = self.took_ms

        message_code = self.message_code

        params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.params, Unset):
            params = self.params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "answered_ms": answered_ms,
                "date": date,
                "delivered": delivered,
                "message": message,
                "number": number,
                "response_body": response_body,
                "response_headers": response_headers,
                "status_code": status_code,
                "took_ms": took_ms,
            }
        )
        if message_code is not UNSET:
            field_dict["message_code"] = message_code
        if params is not UNSET:
            field_dict["params"] = params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.webhook_attempt_params import WebhookAttemptParams
        from ..models.webhook_attempt_response_headers import (
            WebhookAttemptResponseHeaders,
        )

        d = dict(src_dict)
        answered_ms = d.pop("answered_ms")

        date = datetime.datetime.fromisoformat(d.pop("date"))

        delivered = d.pop("delivered")

        message = d.pop("message")

        number = d.pop("number")

        response_body = d.pop("response_body")

        response_headers = WebhookAttemptResponseHeaders.from_dict(d.pop("response_headers"))

        def _parse_status_code(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        status_code = _parse_status_code(d.pop("status_code"))

        took_ms = d.pop("took_ms")

        message_code = d.pop("message_code", UNSET)

        _params = d.pop("params", UNSET)
        params: WebhookAttemptParams | Unset
        if isinstance(_params, Unset):
            params = UNSET
        else:
            params = WebhookAttemptParams.from_dict(_params)

        webhook_attempt = cls(
            answered_ms=answered_ms,
            date=date,
            delivered=delivered,
            message=message,
            number=number,
            response_body=response_body,
            response_headers=response_headers,
            status_code=status_code,
            took_ms=took_ms,
            message_code=message_code,
            params=params,
        )

        webhook_attempt.additional_properties = d
        return webhook_attempt

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
