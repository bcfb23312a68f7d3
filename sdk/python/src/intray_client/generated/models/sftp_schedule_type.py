from typing import Literal

SftpScheduleType = Literal["daily_at_time", "every_n_minutes"]

SFTP_SCHEDULE_TYPE_VALUES: set[SftpScheduleType] = {
    "daily_at_time",
    "every_n_minutes",
}


def check_sftp_schedule_type(value: str) -> SftpScheduleType:
    if value in SFTP_SCHEDULE_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SFTP_SCHEDULE_TYPE_VALUES!r}")
