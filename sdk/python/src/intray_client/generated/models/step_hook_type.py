from typing import Literal, cast

StepHookType = Literal["REVIEW_STEP", "REVIEW_STEP_POST_HOOKS", "UPLOAD_STEP"]


def check_step_hook_type(value: str) -> StepHookType:
    # Later versions of the server can add values.
    return cast(StepHookType, value)
