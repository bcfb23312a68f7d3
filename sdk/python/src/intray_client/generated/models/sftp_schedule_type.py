from typing import Literal, cast

SftpScheduleType = Literal["daily_at_time", "every_n_minutes"]


def check_sftp_schedule_type(value: str) -> SftpScheduleType:
    # Later versions of the server can add values.
    return cast(SftpScheduleType, value)
