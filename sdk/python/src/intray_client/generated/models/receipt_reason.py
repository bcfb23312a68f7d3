from typing import Literal, cast

ReceiptReason = Literal["asked for", "retention"]


def check_receipt_reason(value: str) -> ReceiptReason:
    # Later versions of the server can add values.
    return cast(ReceiptReason, value)
