"""Imports files with an Intray server and reads the clean rows.

Intray.import_file creates an import, uploads a file and waits for the result, and Intray.rows reads
the clean rows. verify_webhook verifies messages of webhooks. The package generated.api has a module
for each operation of the server, and generated.models has their types. Both are generated from the
OpenAPI document of the server.
"""

from .client import Intray, Progress, ResultFormat
from .errors import APIError, IntrayError, IntrayImportError, WebhookError
from .webhook import WebhookMessage, verify_signature, verify_webhook

__all__ = [
    "APIError",
    "IntrayImportError",
    "ResultFormat",
    "Intray",
    "IntrayError",
    "Progress",
    "WebhookError",
    "WebhookMessage",
    "verify_signature",
    "verify_webhook",
]
