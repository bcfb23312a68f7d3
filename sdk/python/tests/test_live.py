"""These tests need a server: INTRAY_URL and INTRAY_KEY.

The tests in test/generators put a proxy in front of it, which refuses the first attempt of each request
and loses the response to the second.
"""

from __future__ import annotations

import io
import os
import queue
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

from intray_client import APIError, Intray, IntrayImportError, Progress, WebhookError, verify_webhook
from intray_client.generated.api.imports import answer_questions, get_import, get_questions
from intray_client.generated.api.schemas import create_schema
from intray_client.generated.api.webhooks import create_webhook
from intray_client.generated.models import (
    AnswersRequest,
    AnswersRequestAnswers,
    Field,
    Import,
    ImportCompletedMessage,
    ImportDraft,
    SchemaDraft,
    Settings,
    WebhookDraft,
)

SERVER = os.environ.get("INTRAY_URL")


def fields() -> list[Field]:
    return [Field("name", "Name"), Field("born", "Born", type_="date")]


def draft(**settings: Any) -> ImportDraft:
    return ImportDraft(fields=fields(), settings=Settings(invalid_data_behavior="BLOCK_SUBMIT", **settings))


@unittest.skipUnless(SERVER, "SKIPPED: INTRAY_URL is not set")
class LiveTest(unittest.TestCase):
    def setUp(self) -> None:
        self.intray = Intray(SERVER or "", os.environ["INTRAY_KEY"])
        self.addCleanup(self.intray.close)

    def test_import_file_with_a_saved_schema(self) -> None:
        body = SchemaDraft(fields=fields(), name="Python", settings=Settings())
        schema = create_schema.sync(client=self.intray.client, body=body)
        assert schema
        progress: list[Progress] = []
        text = b"Name,Born\nAnna,1990-04-03\nBela,\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "saved.csv"
            path.write_bytes(text)
            imported = self.intray.import_file(schema.id, path, on_progress=progress.append, timeout=60)
        self.assertEqual(imported.original_filename, "saved.csv")
        self.assertEqual(progress[0], Progress("AWAITING_UPLOAD", len(text), len(text)))
        self.assertEqual(progress[-1], Progress("SUCCESSFUL"))
        rows = [{"name": "Anna", "born": "1990-04-03"}, {"name": "Bela", "born": None}]
        self.assertEqual(list(self.intray.rows(imported.id)), rows)
        result = io.BytesIO()
        self.intray.download(imported.id, result, format="csv")
        self.assertEqual(result.getvalue(), b"name,born\nAnna,1990-04-03\nBela,\n")

    def test_an_import_with_the_same_key_continues(self) -> None:
        file = io.BytesIO(b"Name,Born\nAnna,\n")
        first, second = (
            self.intray.import_file(draft(), file, name="again.csv", idempotency_key="python-again", timeout=60)
            for _ in range(2)
        )
        self.assertEqual(first.id, second.id)

    def test_a_failed_import(self) -> None:
        with self.assertRaises(IntrayImportError) as raised:
            self.intray.import_file(draft(), b"", name="failed.csv", timeout=60)
        self.assertEqual(raised.exception.code, "EMPTY_FILE")
        with self.assertRaises(APIError) as refused:
            list(self.intray.rows(raised.exception.import_.id))
        self.assertEqual(refused.exception.code, "not_finished")

    def test_a_review(self) -> None:
        with self.assertRaises(IntrayImportError) as raised:
            self.intray.import_file(draft(), b"Name,Born\nAnna,03/04/1990\n", name="review.csv", timeout=60)
        self.assertEqual(raised.exception.code, "NEEDS_REVIEW")
        failed = raised.exception.import_
        self.assertIn("/review/", failed.review_url)
        with self.assertRaises(TimeoutError):
            self.intray.wait_for_import(failed.id, on_review=lambda _: None, timeout=0)

        def answer(imp: Import) -> None:
            questions = get_questions.sync(imp.id, client=self.intray.client)
            assert questions
            answers = AnswersRequestAnswers.from_dict({q.id: q.choices[0].value for q in questions.questions})
            answer_questions.sync(imp.id, client=self.intray.client, body=AnswersRequest(answers=answers))

        imported = self.intray.wait_for_import(failed.id, on_review=answer, timeout=60)
        self.assertEqual(imported.status, "SUCCESSFUL")

    def test_errors_have_codes(self) -> None:
        with self.assertRaises(APIError) as raised:
            get_import.sync(UUID(int=0), client=self.intray.client)
        self.assertEqual((raised.exception.code, raised.exception.status), ("not_found", 404))
        with self.assertRaises(APIError) as raised:
            self.intray.import_file({"fields": [{"key": "", "label": "Name"}]}, b"x", name="invalid.csv")
        self.assertEqual((raised.exception.code, raised.exception.status), ("invalid", 400))
        self.assertIn("fields", raised.exception.body["field_messages"])
        self.assertIn("fields[0].key", str(raised.exception))
        with self.assertRaises(APIError) as raised:
            self.intray.import_file(draft(max_file_size=1000), b"Name\n" * (1 << 20), name="large.csv")
        self.assertEqual(raised.exception.code, "file_too_large")

    def test_a_webhook(self) -> None:
        received: queue.Queue[object] = queue.Queue()
        secret = ""

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = dict(self.headers.items())
                try:
                    verify_webhook(secret, headers, body + b" ")
                except WebhookError as error:
                    received.put(error.code)
                received.put(verify_webhook(secret, headers, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        receiver = HTTPServer(("127.0.0.1", 0), Receiver)
        self.addCleanup(receiver.server_close)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.shutdown)
        body = WebhookDraft(
            url=f"http://127.0.0.1:{receiver.server_port}/",
            events=["import_completed"],
            import_identifiers=["python-webhook"],
        )
        webhook = create_webhook.sync(client=self.intray.client, body=body)
        assert webhook and isinstance(webhook.secret, str)
        secret = webhook.secret
        started = self.intray.start_import(
            draft(import_identifier="python-webhook"), b"Name,Born\nAnna,\n", name="webhook.csv"
        )
        self.assertEqual(received.get(timeout=60), "invalid_signature")
        message = received.get(timeout=60)
        assert isinstance(message, ImportCompletedMessage) and message.data.headless
        self.assertEqual(message.data.headless.id, started.id)


if __name__ == "__main__":
    unittest.main()
