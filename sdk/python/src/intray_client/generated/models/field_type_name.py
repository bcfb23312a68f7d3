from typing import Literal

FieldTypeName = Literal[
    "checkbox",
    "country",
    "date",
    "datetime",
    "domain",
    "email",
    "multi-select",
    "number",
    "phone-number",
    "select",
    "ssn",
    "string",
    "time",
    "url",
    "us-state-territory",
    "us-zip-code",
    "uuid",
]

FIELD_TYPE_NAME_VALUES: set[FieldTypeName] = {
    "checkbox",
    "country",
    "date",
    "datetime",
    "domain",
    "email",
    "multi-select",
    "number",
    "phone-number",
    "select",
    "ssn",
    "string",
    "time",
    "url",
    "us-state-territory",
    "us-zip-code",
    "uuid",
}


def check_field_type_name(value: str) -> FieldTypeName:
    if value in FIELD_TYPE_NAME_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {FIELD_TYPE_NAME_VALUES!r}")
