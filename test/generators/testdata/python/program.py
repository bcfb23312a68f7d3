import os
import sys
from pathlib import Path

import httpx
from intray.api.imports import create_import, get_import, get_import_result
from intray.client import AuthenticatedClient
from intray.models import Field, FieldTypeName, ImportDraft, ImportStatus, RequiredValidator, DateTypeOptions
from intray.models.required_validator_validate import RequiredValidatorValidate

client = AuthenticatedClient(os.environ["INTRAY_URL"], os.environ["INTRAY_KEY"], prefix="", auth_header_name="X-Service-License-Key", raise_on_unexpected_status=True)
required = RequiredValidator(RequiredValidatorValidate.REQUIRED)
fields = [
    Field("name", "Name", validators=[required]),
    Field("born", "Born", type_=[FieldTypeName.DATE, DateTypeOptions(locale="en-GB")]),
]
it = create_import.sync(client=client, body=ImportDraft(fields=fields, original_filename="people.csv"))
httpx.put(it.upload, content=Path("people.csv").read_bytes()).raise_for_status()
while it.status != ImportStatus.SUCCESSFUL:
    if it.status in (ImportStatus.FAILED, ImportStatus.NEEDS_REVIEW):
        sys.exit(f"{it.import_errors}")
    it = get_import.sync(it.id, client=client)
result = get_import_result.sync(it.id, client=client)
print(it.result_metadata.num_data_rows, httpx.get(result.presigned_url).text)
