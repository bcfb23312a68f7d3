"""Verifies messages of webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from .errors import WebhookError
from .generated.models import (
    HeadlessImportFailedMessage,
    HeadlessImportNeedsReviewMessage,
    ImportCompletedMessage,
    SftpConnectorFailedMessage,
    SftpDeliveryFailedMessage,
    WebhookDisabledMessage,
)

# How many seconds the time of a message can differ from the time of this machine.
TOLERANCE = 5 * 60

WebhookMessage = (
    HeadlessImportFailedMessage
    | HeadlessImportNeedsReviewMessage
    | ImportCompletedMessage
    | SftpConnectorFailedMessage
    | SftpDeliveryFailedMessage
    | WebhookDisabledMessage
)

_DECODERS: dict[str, Callable[[Mapping[str, Any]], WebhookMessage]] = {
    "headless_import_failed": HeadlessImportFailedMessage.from_dict,
    "headless_import_needs_review": HeadlessImportNeedsReviewMessage.from_dict,
    "import_completed": ImportCompletedMessage.from_dict,
    "sftp_connector_failed": SftpConnectorFailedMessage.from_dict,
    "sftp_delivery_failed": SftpDeliveryFailedMessage.from_dict,
    "webhook_disabled": WebhookDisabledMessage.from_dict,
}


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes) -> WebhookMessage | dict[str, Any]:
    """Verifies the signature of a message and decodes it.

    secret is the secret of the webhook, and body the body of the request exactly as received. The case
    of the names in headers does not matter. The message is a dictionary if this version of the package
    does not know its event. Raises a WebhookError if the message must not be trusted.
    """
    verify_signature(secret, headers, body)
    try:
        message = json.loads(body)
        decode = _DECODERS.get(message["event"])
        return decode(message) if decode else dict(message)
    except (KeyError, TypeError, ValueError) as error:
        raise WebhookError("invalid_body", f"The body of the message is invalid: {error!r}") from error


def verify_signature(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> None:
    """Verifies the signature and the time of a message.

    Use it instead of verify_webhook for the forms that Intray sends to the URLs in schema settings. now
    is the time of this machine in seconds since 1970. Raises a WebhookError if the message must not be
    trusted.
    """
    key = _decode(secret.removeprefix("whsec_"))
    if not key:
        raise WebhookError("invalid_secret", "The secret of the webhook must be whsec_ and base64.")
    lower = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (lower.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not message_id or not timestamp or not signatures:
        raise WebhookError(
            "missing_header",
            "The message lacks one of the headers webhook-id, webhook-timestamp and webhook-signature.",
        )
    valid = timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 15
    if not valid or abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        raise WebhookError("invalid_timestamp", "The message is not from the last 5 minutes.")
    want = hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256)
    # During the rotation of a secret, there are several signatures.
    for signature in signatures.split():
        version, _, encoded = signature.partition(",")
        if version == "v1" and hmac.compare_digest(_decode(encoded), want):
            return
    raise WebhookError("invalid_signature", "No signature of the message matches the secret.")


def _decode(text: str) -> bytes:
    """Decodes base64. Returns no bytes if the text is invalid."""
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return b""
