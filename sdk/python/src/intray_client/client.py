"""The client of an Intray server."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self
from uuid import UUID

import httpx

from ._retry import RetryTransport
from .errors import APIError, IntrayImportError
from .generated.client import AuthenticatedClient
from .generated.models import Import, ImportDraft, ImportStatus

# Polling an import starts with FIRST_POLL seconds between two requests, and slows down to MAX_POLL.
FIRST_POLL = 0.2
MAX_POLL = 5.0

# How many bytes of a file are read at once.
CHUNK = 1 << 16

ResultFormat = Literal["csv", "json", "ndjson", "parquet", "xlsx"]


@dataclass(frozen=True)
class Progress:
    """Describes an import that has not ended. The bytes are 0 after the upload."""

    status: ImportStatus
    sent_bytes: int = 0
    total_bytes: int = 0


class Intray:
    """Calls an Intray server. It is safe for concurrent use.

    The client retries a request up to four times if the connection fails or the server cannot process it at
    the moment. This is safe: each POST has an Idempotency-Key, so the server processes it once, and a
    DELETE is retried only if the server has refused it.

    client is the argument with this name of the functions in generated.api. Their functions sync and
    sync_detailed raise an APIError unless they succeed. The functions asyncio and asyncio_detailed
    do not retry requests, and raise an errors.UnexpectedStatus.
    """

    def __init__(self, server: str, key: str, *, transport: httpx.BaseTransport | None = None) -> None:
        """server is a base URL such as http://127.0.0.1:8080, and key a backend API key.

        The key is sent only to the server. transport replaces the transport of httpx.
        """
        if not server.startswith(("http://", "https://")):
            raise ValueError("server must be a URL that starts with http:// or https://")
        if not key.startswith("bk_"):
            raise ValueError("key must be a backend API key, which starts with bk_")
        retrying = RetryTransport(transport or httpx.HTTPTransport())
        timeout = httpx.Timeout(120, connect=10)
        header = "X-Service-License-Key"
        self._http = httpx.Client(base_url=server, headers={header: key}, transport=retrying, timeout=timeout)
        # The URLs of files contain a signature and must not receive the key.
        self._files = httpx.Client(transport=retrying, timeout=timeout)
        self.client = AuthenticatedClient(
            base_url=server,
            token=key,
            prefix="",
            auth_header_name=header,
            timeout=timeout,
            raise_on_unexpected_status=True,
        ).set_httpx_client(self._http)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def import_file(
        self,
        schema: str | UUID | ImportDraft | Mapping[str, Any],
        file: str | os.PathLike[str] | bytes | BinaryIO,
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_review: Callable[[Import], None] | None = None,
        timeout: float | None = None,
    ) -> Import:
        """Creates an import, uploads the file and waits until the import is SUCCESSFUL.

        rows and download then return the result. See start_import and wait_for_import for the
        arguments. Raises an IntrayImportError if the import failed or needs a review.
        """
        started = self.start_import(schema, file, name=name, idempotency_key=idempotency_key, on_progress=on_progress)
        return self.wait_for_import(started.id, on_progress=on_progress, on_review=on_review, timeout=timeout)

    def start_import(
        self,
        schema: str | UUID | ImportDraft | Mapping[str, Any],
        file: str | os.PathLike[str] | bytes | BinaryIO,
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Import:
        """Creates an import and uploads the file. Returns when the server has stored the file.

        Use it if a webhook reports the end of the import.

        schema is the id of a saved schema, or an object with fields and, optionally, settings and
        hooks. file is a path, the content, or a binary file that can seek, which is imported from its
        start. name is the name of the file; by default, that of the path or file. If your program
        ends during an import and calls this method again with the same idempotency_key within 72
        hours, it continues the same import. on_progress is called during the upload.
        """
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                return self.start_import(
                    schema,
                    opened,
                    name=name,
                    idempotency_key=idempotency_key,
                    on_progress=on_progress,
                )
        content = _Content(io.BytesIO(file) if isinstance(file, bytes) else file, on_progress)
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        draft = _draft(schema, name or content.name())
        created = self._http.post("/api/v1/headless/imports/", json=draft, headers=headers)
        started = _decode_import(created)
        try:
            try:
                self._upload(started, content)
            except APIError as error:
                if error.code != "expired":
                    raise
                # The server repeated an old response to the same Idempotency-Key.
                started = self._import(started.id)
                self._upload(started, content)
        except APIError as error:
            if error.code != "already_uploaded":  # an earlier attempt has uploaded the file
                raise
        return started

    def wait_for_import(
        self,
        import_id: str | UUID,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_review: Callable[[Import], None] | None = None,
        timeout: float | None = None,
    ) -> Import:
        """Polls an import until it is SUCCESSFUL.

        on_progress is called when the status changes. on_review is called once if a person must
        review the import, for example to send them review_url. The method then waits until the person
        submits the import. Raises an IntrayImportError if the import failed, or needs a review and there is
        no on_review. Raises a TimeoutError after timeout seconds. By default, it waits without limit.
        """
        end = None if timeout is None else time.monotonic() + timeout
        delay, status, reviewed = FIRST_POLL, None, False
        while True:
            current = self._import(import_id)
            if current.status != status and on_progress:
                on_progress(Progress(current.status))
            status = current.status
            if status == "SUCCESSFUL":
                return current
            if status == "FAILED" or status == "NEEDS_REVIEW" and on_review is None:
                raise IntrayImportError(current)
            if status == "NEEDS_REVIEW" and on_review and not reviewed:
                reviewed = True
                on_review(current)
            if end is not None and time.monotonic() + delay > end:
                raise TimeoutError(f"Import {import_id} is still {status} after {timeout} seconds.")
            time.sleep(delay)
            delay = min(delay * 1.5, MAX_POLL)

    def rows(self, import_id: str | UUID) -> Iterator[dict[str, Any]]:
        """Reads the rows of a SUCCESSFUL import, in order, by field key.

        It does not read all rows into memory. Raises an httpx.TransportError if the result is
        incomplete.
        """
        with self._files.stream("GET", self._result_url(import_id, "ndjson")) as response:
            for line in _lines(response.iter_bytes()):
                yield json.loads(line)

    def download(self, import_id: str | UUID, to: BinaryIO, *, format: ResultFormat = "json") -> None:
        """Writes the result of a SUCCESSFUL import to a binary file.

        Raises an httpx.TransportError if the result is incomplete.
        """
        with self._files.stream("GET", self._result_url(import_id, format)) as response:
            for chunk in response.iter_bytes():
                to.write(chunk)

    def _import(self, import_id: str | UUID) -> Import:
        return _decode_import(self._http.get(f"/api/v1/headless/imports/{import_id}/"))

    def _upload(self, target: Import, content: _Content) -> None:
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(content.size)}
        self._files.put(target.upload, content=content, headers=headers)

    def _result_url(self, import_id: str | UUID, format: ResultFormat) -> str:
        result = self._http.get(f"/api/v1/headless/imports/{import_id}/url/", params={"format": format})
        url: str = result.json()["presigned_url"]
        return url


def _decode_import(response: httpx.Response) -> Import:
    if not response.headers.get("Content-Type", "").startswith("application/json"):
        raise APIError(response.status_code, b"")  # a proxy has sent it
    return Import.from_dict(response.json())


class _Content:
    """The content of a file, which can be sent several times."""

    def __init__(self, file: BinaryIO, on_progress: Callable[[Progress], None] | None) -> None:
        self._file = file
        self._on_progress = on_progress
        self.size = file.seek(0, io.SEEK_END)

    def name(self) -> str | None:
        name = getattr(self._file, "name", None)
        return Path(name).name if isinstance(name, str) else None

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(0)
        sent = 0
        while chunk := self._file.read(CHUNK):
            yield chunk
            sent += len(chunk)
            if self._on_progress:
                self._on_progress(Progress("AWAITING_UPLOAD", sent, self.size))


def _draft(schema: str | UUID | ImportDraft | Mapping[str, Any], name: str | None) -> dict[str, Any]:
    """Returns the request that creates an import."""
    if isinstance(schema, (str, UUID)):
        draft: dict[str, Any] = {"schema_id": str(schema)}
    elif isinstance(schema, ImportDraft):
        draft = schema.to_dict()
    else:
        draft = dict(schema)
    if name:
        draft["original_filename"] = name
    return draft


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Returns the lines of a text, without their line breaks and without empty lines."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from filter(None, lines)
    if rest:
        yield rest
