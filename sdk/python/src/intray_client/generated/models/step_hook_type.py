from typing import Literal

StepHookType = Literal["REVIEW_STEP", "REVIEW_STEP_POST_HOOKS", "UPLOAD_STEP"]

STEP_HOOK_TYPE_VALUES: set[StepHookType] = {
    "REVIEW_STEP",
    "REVIEW_STEP_POST_HOOKS",
    "UPLOAD_STEP",
}


def check_step_hook_type(value: str) -> StepHookType:
    if value in STEP_HOOK_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {STEP_HOOK_TYPE_VALUES!r}")
