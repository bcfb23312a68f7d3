"""Hooks for Schemathesis. They send most calls with valid credentials and to objects that exist.

Without them, nearly all calls fail before an operation does any work. Other calls stay as
generated. Each call is recorded as a line of JSON in the file INTRAY_CALLS.
"""

import json
import os
import random
import threading
import time
import urllib.parse
import uuid

import requests
import schemathesis

SERVER = os.environ["INTRAY_SERVER"]
BACKEND_KEY = os.environ["INTRAY_BACKEND_KEY"]
KEY = os.environ["INTRAY_KEY"]
KEY_HEADER = "X-Service-License-Key"
IMPORTS = "/api/v1/headless/imports/"
SFTP = "/api/v1/headless/sftp/"
LINKS = "/api/v1/import-links/"
FIELDS = [
    {"key": "name", "label": "Name"},
    {"key": "email", "label": "Email", "type": "email", "validators": [{"validate": "required"}]},
]
FILES = {
    "done": "name,email\nAnna,anna@example.org\n",
    "rows": "name,email\nAnna,anna@example.org\nBela,no address\nCara,\n",
    "questions": "phone\n1\n",
}
# An object is replaced after this number of calls, because calls change and delete it.
CALLS_PER_OBJECT = 6
# The kinds of objects of which an organization can have only 100.
LIMITED = {"webhook": "/api/v1/webhooks/", "pull": "/api/v1/webhooks/", "connector": SFTP + "connectors/"}
# The operations that delete their object or use it up.
ONCE = {
    "deleteImport", "deleteUpload", "deleteSchema", "deleteWebhook", "deleteConnector", "deleteCredential", "deleteSession",
    "revokeImportLink", "discardReview", "uploadFile", "uploadForm", "submitReview", "undoReview", "redoReview", "revokeReviewLink",
}

# The media type of tus for a part of a file.
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")

CREDENTIAL = {"hostname": "sftp.invalid", "port": 22, "user": "anna", "auth_type": "PASSWORD", "password": "secret"}


def valid_body(operation):
    """Returns a body that the operation accepts, or None to keep the generated one."""
    name = f"object {uuid.uuid4()}"
    if operation == "createImport":
        return {"fields": FIELDS, "original_filename": "it.csv", "initial_data": [{"name": "Anna", "email": "anna@example.org"}]}
    if operation in ("createSchema", "replaceSchema"):
        return {"name": name, "fields": FIELDS, "settings": {}}
    if operation == "replaceSchemaExtensions":
        return {"fields": {FIELDS[0]["key"]: {"labels": {"de": name}, "missingValues": ["none"]}}}
    if operation in ("createCredential", "replaceCredential"):
        return CREDENTIAL
    if operation in ("createConnector", "replaceConnector"):
        return connector()
    if operation in ("undoReview", "redoReview"):
        return {"op": name}
    if operation == "editReview":
        return {"op": name, "kind": chance.choice(["trim", "clear", "accept"]), "keys": ["name"], "preview": chance.random() < 0.5}
    if operation in ("createImportLink", "replaceImportLink"):
        schema, _ = new_object("schema")
        return {"schema_id": schema, "name": name, "page": {"title": name}}
    if operation == "startLinkImport":
        return {"original_filename": "it.csv"}
    if operation == "createWebhook":
        return {"url": f"https://receiver.invalid/{uuid.uuid4()}"}
    return None


def connector():
    schema, _ = new_object("schema")
    credential, _ = new_object("credential")
    return {"schema": schema, "credentials": credential, "directory": "/in", "schedule": {"type": "every_n_minutes", "minutes": 60}}


def answers(id):
    """Returns an answer to each question. No two answers select the same column."""
    chosen = {}
    for question in call("GET", f"{IMPORTS}{id}/questions/")["questions"]:
        unused = [choice["value"] for choice in question["choices"] if choice["value"] not in chosen.values()]
        if unused:
            chosen[question["id"]] = unused[0]
    return chosen


lock = threading.Lock()
chance = random.Random(int(os.environ["INTRAY_SEED"]))
session = requests.Session()
record = open(os.environ["INTRAY_CALLS"], "a", buffering=1, encoding="utf-8")
objects = {}
secret_of = {}


def call(method, path, body=None, **headers):
    url = path if path.startswith("http") else SERVER + path
    if not isinstance(body, (bytes, type(None))):
        body, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    reply = session.request(method, url, data=body, headers={KEY_HEADER: BACKEND_KEY} | headers, timeout=60)
    if not reply.ok:
        raise RuntimeError(f"{method} {path}: {reply.status_code} {reply.text}")
    return reply.json() if reply.content else {}


def new_import(state):
    made = call("POST", IMPORTS, {"fields": FIELDS, "original_filename": "it.csv", "settings": {"invalidDataBehavior": "BLOCK_SUBMIT"}})
    if state != "awaiting":
        call("PUT", made["upload"], FILES[state].encode())
        end = time.monotonic() + 60
        while made["status"] not in ("SUCCESSFUL", "NEEDS_REVIEW", "FAILED"):
            if time.monotonic() > end:
                raise RuntimeError(f"the import does not end: {made}")
            time.sleep(0.02)
            made = call("GET", IMPORTS + made["id"] + "/")
    return made


def new_object(kind):
    """Creates an object. Returns its ID and the credentials of calls to it: headers, query, cookies."""
    if kind == "import":
        return new_import(chance.choice(["awaiting", "done", "rows", "questions"]))["id"], {}
    if kind == "result":
        return new_import("done")["id"], {}
    if kind in ("review", "link", "ready", "changed", "undone", "asked"):
        made = new_import("questions" if kind == "asked" else chance.choice(["rows", "rows", "rows", "questions"]) if kind in ("review", "link") else "rows")
        token = urllib.parse.urlsplit(made["review_url"]).fragment
        if kind == "link":
            return made["id"], {"headers": {"Authorization": "Bearer " + token}}
        opened = requests.post(f"{SERVER}/api/review/v1/{made['id']}/session/", headers={"Authorization": "Bearer " + token}, timeout=60)
        opened.raise_for_status()
        cookies = {"intray_review": opened.cookies["intray_review"]}
        path, cookie = f"/api/review/v1/{made['id']}/", {"Cookie": "intray_review=" + cookies["intray_review"]}
        if kind == "ready":
            call("POST", path + "edits/", {"op": "ready", "kind": "delete", "where": {"show": "errors"}}, **cookie)
        if kind in ("changed", "undone"):
            call("POST", path + "edits/", {"op": "changed", "kind": "clear", "keys": ["name"]}, **cookie)
        if kind == "undone":
            call("POST", path + "undo/", {"op": "undone"}, **cookie)
        return made["id"], {"cookies": cookies}
    if kind in ("receive", "download"):
        if kind == "receive":
            address = new_import("awaiting")["upload"]
        else:
            address = call("GET", IMPORTS + new_import("done")["id"] + "/url/")["presigned_url"]
        address = urllib.parse.urlsplit(address)
        return address.path.rsplit("/", 1)[1], {"query": dict(urllib.parse.parse_qsl(address.query))}
    if kind == "upload":
        return new_import("done")["result_metadata"]["id"], {}
    if kind in ("session", "hydration"):
        made = call("POST", "/api/widget/session/v2/auth/", {})
        if kind == "hydration":
            token = {"X-Hydration-Id": made["hydrationId"]}
            call("PUT", "/api/widget/session/v2/state/", {"step": 1}, **token)
            call("PUT", "/api/widget/session/v2/file/", b"a,b\n1,2\n", **token)
            return None, {"headers": token}
        return made["sessionId"], {}
    if kind in LIMITED:
        make_room(LIMITED[kind])
    name = f"object {uuid.uuid4()}"
    if kind == "schema":
        return call("POST", "/api/v1/schemas/", {"name": name, "fields": FIELDS, "settings": {}})["id"], {}
    if kind == "webhook":
        return call("POST", "/api/v1/webhooks/", {"url": "https://receiver.invalid/"})["id"], {}
    if kind == "pull":
        return call("POST", "/api/v1/webhooks/", {"url": None})["id"], {}
    if kind == "credential":
        return call("POST", SFTP + "credentials/", CREDENTIAL)["id"], {}
    if kind in ("import link", "import link token", "import link session", "logo", "sent"):
        schema, _ = new_object("schema")
        made = call("POST", LINKS, {"schema_id": schema})
        call("PUT", f"{LINKS}{made['id']}/logo/", b"\x89PNG\r\n\x1a\n")
        token = made["url"].rsplit("/", 1)[1]
        if kind == "import link":
            return made["id"], {}
        if kind == "import link token":
            return None, {"headers": {"Authorization": "Bearer " + token}}
        opened = requests.post(f"{SERVER}/api/in/v1/session/", headers={"Authorization": "Bearer " + token}, timeout=60)
        opened.raise_for_status()
        page = opened.json()
        if kind == "logo":
            return made["id"], {"query": {"token": page["logoUrl"].rsplit("=", 1)[1]}}
        bearer = {"Authorization": "Bearer " + page["session"]}
        if kind == "sent":
            started = call("POST", "/api/in/v1/imports/", {}, **bearer)
            opened = requests.post(f"{SERVER}/api/review/v1/{started['id']}/session/", headers={"Authorization": "Bearer " + started["reviewToken"]}, timeout=60)
            opened.raise_for_status()
            return started["id"], {"cookies": {"intray_review": opened.cookies["intray_review"]}}
        return None, {"headers": bearer}
    if kind == "connector":
        return call("POST", SFTP + "connectors/", connector())["id"], {}
    raise RuntimeError(f"no object of the kind {kind}")


def make_room(path):
    """Deletes all objects of a kind before there are as many as an organization can have, 100."""
    listed = call("GET", path)
    if isinstance(listed, dict):
        listed = listed["results"]
    if len(listed) < 50:
        return
    for one in listed:
        call("DELETE", f"{path}{one['id']}/")
    for kind in LIMITED:
        objects.pop(kind, None)


def kind_of(operation, path, security):
    if "reviewCookie" in security:
        return {"discardReview": "sent", "submitReview": "ready", "undoReview": "changed", "redoReview": "undone", "answerReviewQuestions": "asked"}.get(operation, "review")
    if "reviewToken" in security:
        return "link"
    if "hydrationToken" in security:
        return "hydration"
    if "importLinkToken" in security:
        return "import link token"
    if "importLinkSession" in security:
        return "import link session"
    if operation == "getLogo":
        return "logo"
    if operation in ("getImportResult", "getCells"):
        return "result"
    if operation == "answerQuestions":
        return "asked"
    if operation in ("fetchMessages", "tellForwarded"):
        return "pull"
    for part, kind in {
        "/upload/{id}": "receive", "/download/{id}": "download", "/api/v1/upload/{id}": "upload", "/headless/imports/{id}": "import",
        "/import-links/{id}": "import link", "/schemas/{id}": "schema", "/webhooks/{id}": "webhook", "/connectors/{id}": "connector", "/credentials/{id}": "credential", "/{sessionId}": "session",
    }.items():
        if path.startswith(part) or part in path and part not in ("/upload/{id}", "/download/{id}"):
            return kind
    return None


def facts(case):
    raw = case.operation.definition.raw
    return raw["operationId"], {name for one in raw.get("security", []) for name in one}


def merge(old, new):
    merged = dict(old) if isinstance(old, dict) or hasattr(old, "items") else {}
    merged.update(new)
    return merged


@schemathesis.hook
def before_call(ctx, case, **kwargs):
    operation, security = facts(case)
    with lock:
        if chance.random() < 0.1:
            return
        if "backendKey" in security:
            case.headers = merge(case.headers, {KEY_HEADER: KEY})
        body = valid_body(operation) if chance.random() < 0.3 else None
        if body is not None:
            case.body, case.media_type = body, "application/json"
            if case.headers:
                case.headers.pop("Content-Type", None)
        # Most generated keys are the same, so nearly all calls would be refused with 409.
        if case.headers and chance.random() < 0.9:
            case.headers.pop("Idempotency-Key", None)
        if operation == "getReviewValues" and chance.random() < 0.5:
            case.query = {"of": "name"}
        kind = kind_of(operation, case.operation.path, security)
        if kind is None:
            return
        if kind not in objects or objects[kind][1] <= 0:
            objects[kind] = [new_object(kind), CALLS_PER_OBJECT]
        (id, credentials), left = objects[kind]
        objects[kind][1] = 0 if operation in ONCE else left - 1
        if kind == "asked" and chance.random() < 0.3:
            case.body, case.media_type = {"answers": answers(id)}, "application/json"
    parameters = merge(case.path_parameters, {name: id for name in ("id", "sessionId") if "{" + name + "}" in case.operation.path})
    if parameters and id is not None:
        case.path_parameters = parameters
    # A stream of events does not end, so its calls get no cookie.
    if operation != "getReviewEvents":
        case.headers = merge(case.headers, credentials.get("headers", {}))
        case.cookies = merge(case.cookies, credentials.get("cookies", {}))
    case.query = merge(case.query, credentials.get("query", {}))
    if "wait" in case.query:
        case.query["wait"] = 0  # instead of up to a minute


@schemathesis.hook
def after_call(ctx, case, response):
    operation, _ = facts(case)
    line = json.dumps({"operation": operation, "method": case.method, "status": response.status_code})
    with lock:
        record.write(line + "\n")
