from typing import Literal

DeletedPartName = Literal["original", "problems", "result"]

DELETED_PART_NAME_VALUES: set[DeletedPartName] = {
    "original",
    "problems",
    "result",
}


def check_deleted_part_name(value: str) -> DeletedPartName:
    if value in DELETED_PART_NAME_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DELETED_PART_NAME_VALUES!r}")
