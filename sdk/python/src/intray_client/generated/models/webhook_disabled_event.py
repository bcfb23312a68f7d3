from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.webhook_disabled_event_last_failure_params import (
        WebhookDisabledEventLastFailureParams,
    )


T = TypeVar("T", bound="WebhookDisabledEvent")


@_attrs_define
class WebhookDisabledEvent:
    """A webhook that was disabled because it failed for days or its receiver asked for this.

    Attributes:
        disabled_date (datetime.datetime): ISO 8601 in UTC with microseconds.
        failing_since (datetime.datetime): ISO 8601 in UTC with microseconds.
        id (str): Id of the webhook.
        last_failure (str): The message of the last failure in English.
        num_failures (int):
        url (str): The URL of the webhook.
        last_failure_code (str | Unset): The code of the sentence. Missing if an organization wrote the text.
        last_failure_params (WebhookDisabledEventLastFailureParams | Unset): The parameters of the sentence by name:
            strings, numbers, messages, or lists of strings or messages.
    """

    disabled_date: datetime.datetime
    failing_since: datetime.datetime
    id: str
    last_failure: str
    num_failures: int
    url: str
    last_failure_code: str | Unset = UNSET
    last_failure_params: WebhookDisabledEventLastFailureParams | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        disabled_date = self.disabled_date.isoformat()

        failing_since = self.failing_since.isoformat()

        id = self.id

        last_failure = self.last_failure

        num_failures = self.num_failures

        url = self.url

        last_failure_code = self.last_failure_code

        last_failure_params: dict[str, Any] | Unset = UNSET
        if not isinstance(self.last_failure_params, Unset):
            last_failure_params = self.last_failure_params.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "disabled_date": disabled_date,
                "failing_since": failing_since,
                "id": id,
                "last_failure": last_failure,
                "num_failures": num_failures,
                "url": url,
            }
        )
        if last_failure_code is not UNSET:
            field_dict["last_failure_code"] = last_failure_code
        if last_failure_params is not UNSET:
            field_dict["last_failure_params"] = last_failure_params

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.webhook_disabled_event_last_failure_params import (
            WebhookDisabledEventLastFailureParams,
        )

        d = dict(src_dict)
        disabled_date = datetime.datetime.fromisoformat(d.pop("disabled_date"))

        failing_since = datetime.datetime.fromisoformat(d.pop("failing_since"))

        id = d.pop("id")

        last_failure = d.pop("last_failure")

        num_failures = d.pop("num_failures")

        url = d.pop("url")

        last_failure_code = d.pop("last_failure_code", UNSET)

        _last_failure_params = d.pop("last_failure_params", UNSET)
        last_failure_params: WebhookDisabledEventLastFailureParams | Unset
        if isinstance(_last_failure_params, Unset):
            last_failure_params = UNSET
        else:
            last_failure_params = WebhookDisabledEventLastFailureParams.from_dict(_last_failure_params)

        webhook_disabled_event = cls(
            disabled_date=disabled_date,
            failing_since=failing_since,
            id=id,
            last_failure=last_failure,
            num_failures=num_failures,
            url=url,
            last_failure_code=last_failure_code,
            last_failure_params=last_failure_params,
        )

        webhook_disabled_event.additional_properties = d
        return webhook_disabled_event

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
