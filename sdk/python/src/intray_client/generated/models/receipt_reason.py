from typing import Literal

ReceiptReason = Literal["asked for", "retention"]

RECEIPT_REASON_VALUES: set[ReceiptReason] = {
    "asked for",
    "retention",
}


def check_receipt_reason(value: str) -> ReceiptReason:
    if value in RECEIPT_REASON_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {RECEIPT_REASON_VALUES!r}")
