from typing import Literal, cast

ImportEventImportType = Literal["EMBEDDED", "HEADLESS"]


def check_import_event_import_type(value: str) -> ImportEventImportType:
    # Later versions of the server can add values.
    return cast(ImportEventImportType, value)
