from typing import Literal, cast

PhoneTypeOptionsFormat = Literal["both", "international", "national"]


def check_phone_type_options_format(value: str) -> PhoneTypeOptionsFormat:
    # Later versions of the server can add values.
    return cast(PhoneTypeOptionsFormat, value)
