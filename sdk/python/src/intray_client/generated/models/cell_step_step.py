from typing import Literal, cast

CellStepStep = Literal["check", "map", "output", "parse", "read"]


def check_cell_step_step(value: str) -> CellStepStep:
    # Later versions of the server can add values.
    return cast(CellStepStep, value)
