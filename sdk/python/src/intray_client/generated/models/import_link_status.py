from typing import Literal, cast

ImportLinkStatus = Literal["ACTIVE", "EXPIRED", "USED_UP"]


def check_import_link_status(value: str) -> ImportLinkStatus:
    # Later versions of the server can add values.
    return cast(ImportLinkStatus, value)
