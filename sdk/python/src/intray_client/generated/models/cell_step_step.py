from typing import Literal

CellStepStep = Literal["check", "map", "output", "parse", "read"]

CELL_STEP_STEP_VALUES: set[CellStepStep] = {
    "check",
    "map",
    "output",
    "parse",
    "read",
}


def check_cell_step_step(value: str) -> CellStepStep:
    if value in CELL_STEP_STEP_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CELL_STEP_STEP_VALUES!r}")
