from __future__ import annotations

import unittest

from intray_client import WebhookError, verify_signature, verify_webhook

# The example in the specification of Standard Webhooks. The tests of the other clients use the same
# example.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
TIMESTAMP = 1614265330
BODY = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

CASES: list[tuple[str, str, str, bytes, int, str]] = [
    ("valid", SECRET, SIGNATURE, BODY, 0, ""),
    ("4 minutes old", SECRET, SIGNATURE, BODY, 240, ""),
    ("one of several signatures", SECRET, f"v1,AAAA v1a,x {SIGNATURE}", BODY, 0, ""),
    ("old", SECRET, SIGNATURE, BODY, 360, "invalid_timestamp"),
    ("future", SECRET, SIGNATURE, BODY, -360, "invalid_timestamp"),
    ("changed body", SECRET, SIGNATURE, BODY + b" ", 0, "invalid_signature"),
    ("other version", SECRET, f"v2{SIGNATURE[2:]}", BODY, 0, "invalid_signature"),
    ("other secret", "whsec_AAAA", SIGNATURE, BODY, 0, "invalid_signature"),
    ("no base64", SECRET, "v1,%", BODY, 0, "invalid_signature"),
    ("no secret", "", SIGNATURE, BODY, 0, "invalid_secret"),
    ("no signature", SECRET, "", BODY, 0, "missing_header"),
]


class WebhookTest(unittest.TestCase):
    def test_signatures(self) -> None:
        for name, secret, signature, body, age, code in CASES:
            with self.subTest(name):
                headers = {
                    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
                    "webhook-timestamp": str(TIMESTAMP),
                    "webhook-signature": signature,
                }
                got = ""
                try:
                    verify_signature(secret, headers, body, now=TIMESTAMP + age)
                except WebhookError as error:
                    got = error.code
                self.assertEqual(got, code)

    def test_a_message_without_headers(self) -> None:
        with self.assertRaises(WebhookError) as raised:
            verify_webhook(SECRET, {}, BODY)
        self.assertEqual(raised.exception.code, "missing_header")


if __name__ == "__main__":
    unittest.main()
