from typing import Literal, cast

LearnedMappingKind = Literal["column", "value"]


def check_learned_mapping_kind(value: str) -> LearnedMappingKind:
    # Later versions of the server can add values.
    return cast(LearnedMappingKind, value)
