from typing import Literal, cast

DeletedPartName = Literal["original", "problems", "result"]


def check_deleted_part_name(value: str) -> DeletedPartName:
    # Later versions of the server can add values.
    return cast(DeletedPartName, value)
