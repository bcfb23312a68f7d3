from typing import Literal, cast

Level = Literal["error", "info", "warning"]


def check_level(value: str) -> Level:
    # Later versions of the server can add values.
    return cast(Level, value)
