from typing import Literal, cast

UniqueCaseInsensitiveValidatorValidate = Literal["unique_case_insensitive"]


def check_unique_case_insensitive_validator_validate(value: str) -> UniqueCaseInsensitiveValidatorValidate:
    # The value distinguishes types.
    if value != "unique_case_insensitive":
        raise TypeError(f"Unexpected value {value!r}. Expected unique_case_insensitive.")
    return cast(UniqueCaseInsensitiveValidatorValidate, value)
