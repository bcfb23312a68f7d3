from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.sftp_result_delivery import SftpResultDelivery


T = TypeVar("T", bound="SftpResultDeliveryPage")


@_attrs_define
class SftpResultDeliveryPage:
    """
    Attributes:
        count (int): Number of elements in the whole list, but at most 10,000 in lists of deliveries and of results.
        next_ (None | str): URL of the next page.
        previous (None | str): URL of the previous page.
        results (list[SftpResultDelivery]):
    """

    count: int
    next_: None | str
    previous: None | str
    results: list[SftpResultDelivery]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        next_: None | str
        next_ = self.next_

        previous: None | str
        previous = self.previous

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "next": next_,
                "previous": previous,
                "results": results,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.sftp_result_delivery import SftpResultDelivery

        d = dict(src_dict)
        count = d.pop("count")

        def _parse_next_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_ = _parse_next_(d.pop("next"))

        def _parse_previous(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        previous = _parse_previous(d.pop("previous"))

        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = SftpResultDelivery.from_dict(results_item_data)

            results.append(results_item)

        sftp_result_delivery_page = cls(
            count=count,
            next_=next_,
            previous=previous,
            results=results,
        )

        sftp_result_delivery_page.additional_properties = d
        return sftp_result_delivery_page

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
