"""Retries requests."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable

import httpx

from .errors import APIError

# How often a request is sent at most.
MAX_ATTEMPTS = 5
# The average delay in seconds before the second attempt. Each further delay is twice as long.
FIRST_DELAY = 0.5
# The longest delay in seconds for which a server can ask. If it asks for more, the request fails.
MAX_RETRY_AFTER = 60


class RetryTransport(httpx.BaseTransport):
    """Sends a request until it succeeds or another attempt is unsafe or useless.

    Raises an APIError if the last response is not a success. The body of a request must allow to be
    read several times.
    """

    def __init__(self, inner: httpx.BaseTransport, sleep: Callable[[float], None] = time.sleep) -> None:
        self._inner = inner
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and "Idempotency-Key" not in request.headers:
            request.headers["Idempotency-Key"] = str(uuid.uuid4())
        attempt = 1
        while True:
            error: APIError | httpx.TransportError
            try:
                response = self._inner.handle_request(request)
                if response.status_code < 300:
                    return response
                error = read_error(response)
            except httpx.TransportError as lost:
                error = lost
            delay = retry_delay(request.method, error, attempt) if attempt < MAX_ATTEMPTS else None
            if delay is None:
                raise error
            self._sleep(delay)
            attempt += 1

    def close(self) -> None:
        self._inner.close()


def read_error(response: httpx.Response) -> APIError:
    """Reads an error and closes the response."""
    retry_after = response.headers.get("Retry-After", "")
    try:
        text = response.read()
    finally:
        response.close()
    return APIError(response.status_code, text, int(retry_after) if retry_after.isdecimal() else None)


def retry_delay(method: str, error: APIError | httpx.TransportError, attempt: int) -> float | None:
    """Returns how many seconds to wait before another attempt, or None not to make one."""
    # The delays vary, so that clients do not return at the same time.
    delay = FIRST_DELAY * float(2 ** (attempt - 1)) * random.uniform(0.75, 1.25)
    if not isinstance(error, APIError) or error.status in (502, 504):
        # The server may have processed the request. For a POST, the Idempotency-Key makes the
        # repetition safe. A repeated DELETE would report that the resource does not exist.
        return None if method == "DELETE" else delay
    if error.status not in (429, 503) and error.code != "idempotency_key_in_use":
        return None
    if error.retry_after is None:
        return delay
    return error.retry_after if error.retry_after <= MAX_RETRY_AFTER else None
