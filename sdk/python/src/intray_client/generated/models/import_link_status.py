from typing import Literal

ImportLinkStatus = Literal["ACTIVE", "EXPIRED", "USED_UP"]

IMPORT_LINK_STATUS_VALUES: set[ImportLinkStatus] = {
    "ACTIVE",
    "EXPIRED",
    "USED_UP",
}


def check_import_link_status(value: str) -> ImportLinkStatus:
    if value in IMPORT_LINK_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {IMPORT_LINK_STATUS_VALUES!r}")
