from typing import Literal, cast

SftpScheduleDraftType = Literal["daily_at_time", "every_n_minutes"]


def check_sftp_schedule_draft_type(value: str) -> SftpScheduleDraftType:
    # Later versions of the server can add values.
    return cast(SftpScheduleDraftType, value)
