from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.column_hook import ColumnHook
    from ..models.step_hook import StepHook


T = TypeVar("T", bound="Hooks")


@_attrs_define
class Hooks:
    """JavaScript functions that run during an import.

    Attributes:
        before_finish_callback (str | Unset): Called with (data, metadata, instance) at the end. Returning {cancel:
            true, message} stops the import.
        bulk_row_hooks (list[str] | Unset): Each is called with (records, mode) for all rows and returns [{index, row}].
        column_hooks (list[ColumnHook] | Unset): Each is called once with all values of one field.
        row_delete_hooks (list[str] | Unset): Each is called with (record) for every row that a person deletes.
        row_hooks (list[str] | Unset): Each is called with (record, mode) for every row and returns {row: {key:
            {value}}}.
        step_hooks (list[StepHook] | Unset): Each is called at one step of an import.
    """

    before_finish_callback: str | Unset = UNSET
    bulk_row_hooks: list[str] | Unset = UNSET
    column_hooks: list[ColumnHook] | Unset = UNSET
    row_delete_hooks: list[str] | Unset = UNSET
    row_hooks: list[str] | Unset = UNSET
    step_hooks: list[StepHook] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        before_finish_callback = self.before_finish_callback

        bulk_row_hooks: list[str] | Unset = UNSET
        if not isinstance(self.bulk_row_hooks, Unset):
            bulk_row_hooks = self.bulk_row_hooks

        column_hooks: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.column_hooks, Unset):
            column_hooks = []
            for column_hooks_item_data in self.column_hooks:
                column_hooks_item = column_hooks_item_data.to_dict()
                column_hooks.append(column_hooks_item)

        row_delete_hooks: list[str] | Unset = UNSET
        if not isinstance(self.row_delete_hooks, Unset):
            row_delete_hooks = self.row_delete_hooks

        row_hooks: list[str] | Unset = UNSET
        if not isinstance(self.row_hooks, Unset):
            row_hooks = self.row_hooks

        step_hooks: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.step_hooks, Unset):
            step_hooks = []
            for step_hooks_item_data in self.step_hooks:
                step_hooks_item = step_hooks_item_data.to_dict()
                step_hooks.append(step_hooks_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({})
        if before_finish_callback is not UNSET:
            field_dict["beforeFinishCallback"] = before_finish_callback
        if bulk_row_hooks is not UNSET:
            field_dict["bulkRowHooks"] = bulk_row_hooks
        if column_hooks is not UNSET:
            field_dict["columnHooks"] = column_hooks
        if row_delete_hooks is not UNSET:
            field_dict["rowDeleteHooks"] = row_delete_hooks
        if row_hooks is not UNSET:
            field_dict["rowHooks"] = row_hooks
        if step_hooks is not UNSET:
            field_dict["stepHooks"] = step_hooks

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.column_hook import ColumnHook
        from ..models.step_hook import StepHook

        d = dict(src_dict)
        before_finish_callback = d.pop("beforeFinishCallback", UNSET)

        bulk_row_hooks = cast(list[str], d.pop("bulkRowHooks", UNSET))

        _column_hooks = d.pop("columnHooks", UNSET)
        column_hooks: list[ColumnHook] | Unset = UNSET
        if _column_hooks is not UNSET:
            column_hooks = []
            for column_hooks_item_data in _column_hooks:
                column_hooks_item = ColumnHook.from_dict(column_hooks_item_data)

                column_hooks.append(column_hooks_item)

        row_delete_hooks = cast(list[str], d.pop("rowDeleteHooks", UNSET))

        row_hooks = cast(list[str], d.pop("rowHooks", UNSET))

        _step_hooks = d.pop("stepHooks", UNSET)
        step_hooks: list[StepHook] | Unset = UNSET
        if _step_hooks is not UNSET:
            step_hooks = []
            for step_hooks_item_data in _step_hooks:
                step_hooks_item = StepHook.from_dict(step_hooks_item_data)

                step_hooks.append(step_hooks_item)

        hooks = cls(
            before_finish_callback=before_finish_callback,
            bulk_row_hooks=bulk_row_hooks,
            column_hooks=column_hooks,
            row_delete_hooks=row_delete_hooks,
            row_hooks=row_hooks,
            step_hooks=step_hooks,
        )

        hooks.additional_properties = d
        return hooks

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
