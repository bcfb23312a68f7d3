package httpapi

import (
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// Small words for the shapes below.

func objectType(doc string, props ...jsonschema.Property) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Object, Description: doc, Properties: props}
}

func required(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Required: true, Schema: s}
}

func optional(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Schema: s}
}

func stringType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc}
}

// lineType is a text that may stand in a header or a log line.
func lineType(doc string, maxLength int) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, NoControl: true, MaxLength: maxLength}
}

func uuidType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Format: "uuid", Description: doc}
}

func countType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(0), Description: doc}
}

func boolType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Bool, Description: doc}
}

func enumType(doc string, values ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Enum: values, Description: doc}
}

func arrayType(of *jsonschema.Schema, doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Array, Elem: of, Description: doc}
}

func mapType(of *jsonschema.Schema, doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Map, Elem: of, Description: doc}
}

func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	with := *s
	with.Nullable = true
	return &with
}

func urlType(doc string) *jsonschema.Schema { return stringType(doc) }

func timestampType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc + " UTC, ISO 8601, microseconds, Z.", Example: "2026-11-21T09:30:00.000000Z"}
}

// Bodies of requests.

func importBody() *jsonschema.Schema {
	userShape := objectType("The person on whose behalf the file is imported.",
		optional("id", lineType("", 255)), optional("name", lineType("", 255)), optional("email", lineType("", 255)),
		optional("companyId", lineType("", 255)), optional("companyName", lineType("", 255)))
	return objectType("Exactly one of schema_id and fields must be sent.",
		optional("schema_id", uuidType("A saved schema.")),
		optional("fields", schema.FieldsShape()),
		optional("settings", schema.SettingsShape()),
		optional("hooks", schema.HooksShape()),
		optional("original_filename", nullable(&jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MaxLength: imports.MaxFilename, Description: "The name of the file that will be uploaded. Not together with initial_data."})),
		optional(rowsField, nullable(arrayType(mapType(nil, "A row: values by field key or header."), "All rows to import, at most 15,728,640 bytes as sent. No file is uploaded then."))),
		optional("import_metadata", nullable(objectType("", optional("user", nullable(userShape))))),
	)
}

func schemaBody() *jsonschema.Schema {
	return objectType("A saved schema.",
		optional("id", uuidType("Read only: it is given by the service.")),
		required("name", &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MinLength: 1, MaxLength: 255, Description: "Unique in the organization."}),
		required("fields", schema.FieldsShape()),
		required("settings", schema.SettingsShape()),
		optional("hooks", schema.HooksShape()),
	)
}

func credentialBody() *jsonschema.Schema {
	return objectType("What is needed to log in to an SFTP server.",
		required("hostname", lineType("Host name or address.", 253)),
		required("port", &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Max: jsonschema.Bound(65535)}),
		required("user", &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MinLength: 1, MaxLength: model.MaxLabel}),
		required("auth_type", enumType("", "PASSWORD", "KEY")),
		optional("password", nullable(&jsonschema.Schema{Kind: jsonschema.String, MaxLength: 4096, Description: "With auth_type PASSWORD only."})),
		optional("private_key", nullable(&jsonschema.Schema{Kind: jsonschema.String, MaxLength: 65536, Description: "In OpenSSH format, without a passphrase. With auth_type KEY only."})),
	)
}

func expiresIn() jsonschema.Property {
	return optional("expires_in", &jsonschema.Schema{
		Kind: jsonschema.Integer, Min: jsonschema.Bound(1), Max: jsonschema.Bound(int64(imports.MaxTokenLife.Seconds())),
		Default: int64(imports.DefaultTokenLife.Seconds()), Description: "How long the hydration token is valid, in seconds.",
	})
}

func sessionBody() *jsonschema.Schema {
	return objectType("", optional("import_identifier", &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MaxLength: model.MaxLabel, Default: "", Description: "A label for the session."}), expiresIn())
}

func resumeBody() *jsonschema.Schema { return objectType("", expiresIn()) }

// Answers.

func userResponse() *jsonschema.Schema {
	return objectType("All five are always there, empty where unknown.",
		required("id", stringType("")), required("name", stringType("")), required("email", stringType("")),
		required("companyId", stringType("")), required("companyName", stringType("")))
}

func noticeResponse() *jsonschema.Schema {
	return objectType("", with(mainProps("What is wrong and what to do."),
		required("type", enumType("", "EMPTY_FILE", "UNREADABLE_FILE", "TOO_LARGE", "ENCODING_UNCERTAIN", "HEADER_ROW_UNCERTAIN",
			"SHEET_UNCERTAIN", "OTHER_TABLES", "UNMAPPED_FIELDS", "COLUMN_CONFLICT", "AMBIGUOUS_COLUMN", "VALUE_MAPPED",
			"VALIDATION", "REPAIRED_ROW", "MAX_RECORDS", "NO_ROWS", "ALL_ROWS_REMOVED", "HOOK_FAILED", "CANCELLED_BY_HOOK", "TRUNCATED")),
		required("level", enumType("", "error", "warning", "info")),
		optional("rowIndex", countType("The data row, counted from 0.")),
		optional("fieldKey", stringType("")), optional("header", stringType("")),
		optional("value", stringType("The raw text of the cell, at most 4,096 bytes of it.")),
		optional("manyToOneIndex", countType("Which of the columns of a field with manyToOne, from 0.")),
		optional("total", countType("With TRUNCATED: how many elements there are in all.")),
	)...)
}

func importProps() []jsonschema.Property {
	return []jsonschema.Property{
		required("id", uuidType("")), required("schema_id", uuidType("An inline schema has an id of its own.")),
		required("status", enumType("", "AWAITING_UPLOAD", "PENDING", "RUNNING", "SUCCESSFUL", "FAILED", "NEEDS_REVIEW")),
		required("original_filename", stringType("\"\" where nothing gave a name.")),
		required("created_date", timestampType("")), required("modified_date", timestampType("")),
	}
}

func importListItem() *jsonschema.Schema { return objectType("An import in a list.", importProps()...) }

func importResponse() *jsonschema.Schema {
	return objectType("An import.", append(importProps(),
		required("upload", urlType("The signed address that takes the file: one PUT of the bytes, valid for 1800 s from this answer.")),
		required("review_url", urlType("The page on which a person settles what is open.")),
		required("result_metadata", nullable(resultMetadataShape())),
		required("import_errors", nullable(arrayType(noticeResponse(), "At most 1,000, and then one of type TRUNCATED."))))...)
}

func resultMetadataShape() *jsonschema.Schema {
	field := objectType("The column that feeds the field; null where none does. With manyToOne the columns, which are a list then.",
		required("fileHeader", nullable(stringType(""))), required("fileHeaderIndex", nullable(countType("From 0."))),
		optional("fileHeaders", arrayType(stringType(""), "With manyToOne only.")), optional("fileHeaderIndexes", arrayType(countType("From 0."), "With manyToOne only.")),
		required("isCustom", boolType("")), required("manyToOne", boolType("")))
	choice := objectType("", with(reasonProps(""), required("value", stringType("")))...)
	return objectType("What the import found out; null before an attempt has ended.",
		required("id", uuidType("The id of the upload.")), required("filename", nullable(stringType(""))), required("importIdentifier", stringType("")),
		required("user", nullable(userResponse())), required("rawHeaders", nullable(arrayType(stringType(""), ""))),
		required("fields", mapType(field, "By field key.")),
		required("numDataRows", countType("")), required("numOutputRows", countType("")), required("numRowsWithError", countType("")),
		required("rowsWithError", arrayType(countType(""), "The first 10,000 data rows with an error, from 0.")),
		required("source", mapType(choice, "What was decided about the file (format, encoding, delimiter, header row), each with its reason.")),
		required("sha256", stringType("Of the received file, hexadecimal.")))
}

func pageResponse(of *jsonschema.Schema) *jsonschema.Schema {
	return objectType("", required("count", countType("How many there are in all.")),
		required("next", nullable(urlType("The next page."))), required("previous", nullable(urlType("The page before."))),
		required("results", arrayType(of, "")))
}

func schemaResponse() *jsonschema.Schema {
	return objectType("A schema.", with(warningProps("What was accepted and will not work, or cannot be meant."),
		required("id", uuidType("")), required("name", stringType("")), required("fields", schema.FieldsShape()),
		required("settings", schema.SettingsShape()), required("hooks", schema.HooksShape()))...)
}

func uploadResponse() *jsonschema.Schema {
	raw := objectType("", required("filename", stringType("")), required("storage_key", stringType("")),
		optional("download_url", urlType("In the metadata only: a signed address of the received file, valid for 1800 s.")))
	return objectType("A received file and its account.",
		required("id", uuidType("")), required("import_identifier", stringType("")), required("raw_upload", raw), required("user", userResponse()),
		required("created_date", timestampType("")), required("upload_status", enumType("", "PENDING_UPLOAD", "PROCESSING", "PROCESSED", "FAILED")),
		required("total_num_rows", countType("Data rows, after maxRecords.")),
		required("invalid_row_indexes", arrayType(countType(""), "Data rows with an error, from 0; at most 1,000 in a list, 10,000 in the metadata.")),
		required("errors", arrayType(noticeResponse(), "At most 10 in a list, 1,000 in the metadata.")),
		required("storage_key", stringType("")), required("field_order", arrayType(stringType(""), "")))
}

func uploadsResponse() *jsonschema.Schema {
	return objectType("", required("start", countType("")), required("end", countType("")),
		required("total_num_uploads", countType("What the filter leaves.")), required("data", arrayType(uploadResponse(), "Newest first.")))
}

func presignedResponse() *jsonschema.Schema {
	return objectType("", required("presigned_url", urlType("A signed address of the result, valid for 1800 s.")))
}

func credentialResponse() *jsonschema.Schema {
	return objectType("", required("id", uuidType("")), required("hostname", stringType("")), required("port", countType("")), required("user", stringType("")),
		required("auth_type", enumType("", "PASSWORD", "KEY")), required("key_fingerprint", stringType("Tells which secret is stored: SHA256:… of the public key, or of the password under a key of the server.")))
}

func connectionResponse() *jsonschema.Schema {
	return objectType("", with(errorProps("A sentence where it failed, else \"\"."), required("success", boolType("")),
		optional("host_key_fingerprint", stringType("The key that the server showed.")))...)
}

func sessionResponse() *jsonschema.Schema {
	return objectType("", required("sessionId", uuidType("")), required("hydrationId", stringType("The hydration token.")),
		required("expiresIn", countType("In seconds.")), required("savedAt", timestampType("")))
}

func hydrationResponse() *jsonschema.Schema {
	return objectType("", required("hydrationId", stringType("The hydration token.")), required("expiresIn", countType("In seconds.")))
}

func successResponse() *jsonschema.Schema { return objectType("", required("success", boolType(""))) }

func savedResponse() *jsonschema.Schema {
	return objectType("", required("savedAt", timestampType("")))
}

func reviewResponse() *jsonschema.Schema {
	return objectType("", required("id", uuidType("")), required("title", stringType("")), required("status", stringType("")), required("original_filename", stringType("")),
		required("num_data_rows", countType("")), required("num_rows_with_error", countType("")), required("import_errors", arrayType(noticeResponse(), "At most 50.")),
		required("invalidDataBehavior", stringType("What becomes of rows with an error.")), required("styleOverrides", &jsonschema.Schema{Kind: jsonschema.Map, Description: "As in the settings."}),
		required("openQuestions", countType("")), required("hasRows", boolType("There are rows to review.")), required("finished", nullable(timestampType("When the file was read last."))),
		optional("first", objectType("What table/ and rows/ give, where rows were asked for, there are some and no question is open.", required("table", reviewTableResponse()), required("rows", reviewWindowResponse()))))
}

func healthResponse() *jsonschema.Schema {
	return objectType("", required("status", enumType("", "ok")))
}
