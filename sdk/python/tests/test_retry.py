from __future__ import annotations

import json
import unittest
from collections.abc import Iterator
from typing import Any

import httpx

from intray_client import APIError, Intray, IntrayImportError
from intray_client._retry import MAX_ATTEMPTS, RetryTransport, retry_delay
from intray_client.client import _lines
from intray_client.generated.api.schemas import create_schema
from intray_client.generated.models import (
    Field,
    Import,
    RequiredValidator,
    SchemaDraft,
    Settings,
    UniqueValidator,
)

SOME_ID = "6a2f41a3-c54c-fce8-32d2-0324e1c32e22"


def import_json(**changes: Any) -> dict[str, Any]:
    """Returns an import as the server sends it."""
    return {
        "id": SOME_ID,
        "schema_id": SOME_ID,
        "status": "AWAITING_UPLOAD",
        "original_filename": "",
        "created_date": "2026-11-21T09:30:00.000000Z",
        "modified_date": "2026-11-21T09:30:00.000000Z",
        "upload": "",
        "review_url": "",
        "result_metadata": None,
        "import_errors": None,
    } | changes


class Scripted(httpx.BaseTransport):
    """Responds to each request with the next of its responses.

    A response is a status, a status and a code, a status and a Retry-After, or "lost" if the connection
    fails.
    """

    def __init__(self, responses: list[str]) -> None:
        self.responses = list(responses)
        self.requests: list[tuple[str | None, bytes]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = b"".join(request.stream)  # type: ignore[arg-type]
        self.requests.append((request.headers.get("Idempotency-Key"), body))
        script = self.responses.pop(0)
        if script == "lost":
            raise httpx.ReadError("lost")
        status, _, rest = script.partition(" ")
        if rest.startswith("after "):
            return httpx.Response(int(status), headers={"Retry-After": rest.removeprefix("after ")}, text="<html>")
        if rest:
            return httpx.Response(int(status), json={"code": rest, "detail": "Wrong.", "request_id": "7"})
        return httpx.Response(int(status), text="<html>")


CASES: list[tuple[str, list[str], int, str]] = [
    ("GET", ["200"], 1, ""),
    ("GET", ["lost", "502", "503", "429", "200"], 5, ""),
    ("GET", ["lost", "lost", "lost", "lost", "lost"], 5, "lost"),
    ("GET", ["400 invalid"], 1, "invalid"),
    ("GET", ["500 internal"], 1, "internal"),
    ("GET", ["302"], 1, "http_error"),
    ("POST", ["lost", "409 idempotency_key_in_use", "200"], 3, ""),
    ("POST", ["409 name_taken"], 1, "name_taken"),
    ("POST", ["429 after 60", "200"], 2, ""),
    ("POST", ["429 after 61"], 1, "http_error"),
    ("PUT", ["lost", "200"], 2, ""),
    ("DELETE", ["lost"], 1, "lost"),
    ("DELETE", ["502"], 1, "http_error"),
    ("DELETE", ["503", "429", "200"], 3, ""),
]


class RetryTest(unittest.TestCase):
    def test_cases(self) -> None:
        for method, responses, attempts, code in CASES:
            with self.subTest(method=method, responses=responses):
                transport = Scripted(responses)
                got = ""
                with httpx.Client(transport=RetryTransport(transport, sleep=lambda _: None)) as client:
                    try:
                        client.request(method, "http://intray.test/", content=b"{}")
                    except APIError as error:
                        got = error.code
                    except httpx.ReadError:
                        got = "lost"
                self.assertEqual((got, len(transport.requests)), (code, attempts))
                for key, body in transport.requests:
                    self.assertEqual(key, transport.requests[0][0])
                    self.assertEqual(key is None, method != "POST")
                    self.assertEqual(body, b"{}")

    def test_generated_functions_use_the_transport(self) -> None:
        saved = {
            "id": "6a2f41a3-c54c-fce8-32d2-0324e1c32e22",
            "name": "People",
            "fields": [],
            "settings": {},
            "hooks": {},
        }
        seen: list[httpx.Request] = []

        def handle(request: httpx.Request) -> httpx.Response:
            seen.append(request)
            if len(seen) == 1:
                return httpx.Response(503, headers={"Retry-After": "0"})
            return httpx.Response(201, json=saved)

        intray = Intray("http://intray.test/base", "bk_test", transport=httpx.MockTransport(handle))
        draft = SchemaDraft(fields=[], name="People", settings=Settings())
        schema = create_schema.sync(client=intray.client, body=draft)
        self.assertEqual(schema and schema.name, "People")
        self.assertEqual(seen[0].headers["Idempotency-Key"], seen[1].headers["Idempotency-Key"])
        self.assertEqual(seen[0].headers["X-Service-License-Key"], "bk_test")
        self.assertEqual(str(seen[0].url), "http://intray.test/base/api/v1/schemas/")

    def test_an_upload_with_a_new_url(self) -> None:
        expired = {"code": "expired", "detail": "Expired.", "request_id": "7"}
        responses = {
            "POST /api/v1/headless/imports/": httpx.Response(
                201, json=import_json(upload="http://intray.test/upload/old")
            ),
            "PUT /upload/old": httpx.Response(403, json=expired),
            f"GET /api/v1/headless/imports/{SOME_ID}/": httpx.Response(
                200, json=import_json(upload="http://intray.test/upload/new")
            ),
            "PUT /upload/new": httpx.Response(200),
        }
        requests: list[str] = []

        def handle(request: httpx.Request) -> httpx.Response:
            requests.append(f"{request.method} {request.url.path}")
            uploads = request.url.path.startswith("/upload/")
            self.assertEqual("X-Service-License-Key" in request.headers, not uploads)
            return responses[requests[-1]]

        intray = Intray("http://intray.test", "bk_test", transport=httpx.MockTransport(handle))
        intray.start_import("1", b"x")
        self.assertEqual(requests, list(responses))

    def test_responses_of_others(self) -> None:
        transport = httpx.MockTransport(lambda _: httpx.Response(200, html="<html>"))
        with self.assertRaises(APIError) as raised:
            Intray("http://intray.test", "bk_test", transport=transport).start_import("1", b"x")
        self.assertEqual((raised.exception.code, raised.exception.status), ("http_error", 200))

    def test_delays_grow(self) -> None:
        for attempt in range(1, MAX_ATTEMPTS):
            delay = retry_delay("GET", httpx.ReadError("lost"), attempt)
            average = 0.5 * 2 ** (attempt - 1)
            self.assertTrue(delay is not None and average / 2 < delay < average * 2, f"attempt {attempt}: {delay}")


class ErrorTest(unittest.TestCase):
    def test_errors_of_imports(self) -> None:
        notices = [
            {"level": "warning", "type": "VALUE_MAPPED", "message": "Mapped."},
            {"level": "error", "type": "EMPTY_FILE", "message": "The file is empty."},
        ]
        for status, errors, code, message in [
            ("FAILED", notices, "EMPTY_FILE", "failed: The file is empty."),
            ("FAILED", None, "FAILED", "failed"),
            ("NEEDS_REVIEW", notices, "NEEDS_REVIEW", "needs a review: The file is empty."),
        ]:
            failed = Import.from_dict(import_json(status=status, import_errors=errors))
            error = IntrayImportError(failed)
            self.assertEqual((error.code, str(error)), (code, f"Import {SOME_ID} {message}"))

    def test_values_of_later_versions(self) -> None:
        notice = {"level": "grave", "type": "LATER", "message": "New.", "more": 1}
        imported = Import.from_dict(import_json(status="LATER", import_errors=[notice]))
        assert imported.import_errors
        self.assertEqual((imported.status, imported.import_errors[0].type_), ("LATER", "LATER"))

    def test_unions_of_objects(self) -> None:
        field = {"key": "a", "label": "A", "validators": [{"validate": "unique"}, {"validate": "required"}]}
        validators = Field.from_dict(field).validators
        self.assertEqual([type(v) for v in validators or []], [UniqueValidator, RequiredValidator])

    def test_errors_without_json(self) -> None:
        for text in [b"<html>", b"[]", b'{"code": 7}', b""]:
            error = APIError(502, text)
            self.assertEqual(
                (error.code, error.body, str(error)), ("http_error", {}, "The server returned status 502.")
            )

    def test_invalid_options(self) -> None:
        for server, key in [
            ("127.0.0.1:8080", "bk_1"),
            ("ftp://intray.test", "bk_1"),
            ("http://intray.test", "fk_1"),
            ("http://intray.test", ""),
        ]:
            with self.assertRaises(ValueError):
                Intray(server, key)


class LinesTest(unittest.TestCase):
    def test_lines_that_arrive_in_pieces(self) -> None:
        # A line separator within a text ends no line.
        text = '{"a":"\u2028ä"}\n\n{}\n{"b":1}'
        data = text.encode()

        def pieces(size: int) -> Iterator[bytes]:
            return (data[at : at + size] for at in range(0, len(data), size))

        for size in range(1, len(data) + 1):
            found = [json.loads(line) for line in _lines(pieces(size))]
            self.assertEqual(found, [{"a": "\u2028ä"}, {}, {"b": 1}])


if __name__ == "__main__":
    unittest.main()
