from typing import Literal, cast

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


def check_field_type_name(value: str) -> FieldTypeName:
    # Later versions of the server can add values.
    return cast(FieldTypeName, value)
