from typing import Literal

SftpScheduleDraftType = Literal["daily_at_time", "every_n_minutes"]

SFTP_SCHEDULE_DRAFT_TYPE_VALUES: set[SftpScheduleDraftType] = {
    "daily_at_time",
    "every_n_minutes",
}


def check_sftp_schedule_draft_type(value: str) -> SftpScheduleDraftType:
    if value in SFTP_SCHEDULE_DRAFT_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_SCHEDULE_DRAFT_TYPE_VALUES!r}")
