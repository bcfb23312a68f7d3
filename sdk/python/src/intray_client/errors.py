"""The errors of this package. Errors of the connection are those of httpx."""

from __future__ import annotations

import json
from typing import Any

from .generated.models import Import


class IntrayError(Exception):
    """The base class of the errors. code identifies the error for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class APIError(IntrayError):
    """An error that the server returned.

    code is one of the API, such as "not_found". It is "http_error" if the response is not an error of
    Intray, for example because a proxy sent it. status is the HTTP status, and body the error as the
    server sent it, which is empty if code is "http_error". retry_after is how many seconds the server
    asks to wait, or None if it does not ask.
    """

    def __init__(self, status: int, text: bytes, retry_after: int | None = None) -> None:
        body: dict[str, Any] = {}
        try:
            decoded = json.loads(text)
        except ValueError:
            decoded = None
        if isinstance(decoded, dict) and isinstance(decoded.get("code"), str):
            body = decoded
        message = f"The server returned status {status}."
        if body:
            message = f"{body.get('detail')} (request {body.get('request_id')})"
        super().__init__(body.get("code", "http_error"), message)
        self.status = status
        self.body = body
        self.retry_after = retry_after


class IntrayImportError(IntrayError):
    """An import that has no result.

    code is "NEEDS_REVIEW" if a person must review the import at import_.review_url. Otherwise, the
    import failed, and code is the type of its first error, such as "UNREADABLE_FILE".
    """

    def __init__(self, failed: Import) -> None:
        first = next((notice for notice in failed.import_errors or [] if notice.level == "error"), None)
        reviewed = failed.status == "NEEDS_REVIEW"
        code = failed.status if reviewed or first is None else first.type_
        message = f"Import {failed.id} {'needs a review' if reviewed else 'failed'}"
        super().__init__(code, f"{message}: {first.message}" if first else message)
        self.import_ = failed


class WebhookError(IntrayError):
    """A webhook message that must not be trusted.

    code is "invalid_secret", "missing_header", "invalid_timestamp" if the message is older than 5
    minutes or from the future, "invalid_signature", or "invalid_body" if the body is not a message in
    JSON.
    """
