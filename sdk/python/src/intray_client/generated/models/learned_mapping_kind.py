from typing import Literal

LearnedMappingKind = Literal["column", "value"]

LEARNED_MAPPING_KIND_VALUES: set[LearnedMappingKind] = {
    "column",
    "value",
}


def check_learned_mapping_kind(value: str) -> LearnedMappingKind:
    if value in LEARNED_MAPPING_KIND_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LEARNED_MAPPING_KIND_VALUES!r}")
