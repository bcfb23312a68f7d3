package api

import (
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
	"github.com/intraydata/intray/schemajson"
)

// Small words for the shapes below.

func object(doc string, props ...shape.Prop) *shape.Shape {
	return &shape.Shape{Kind: shape.Object, Doc: doc, Props: props}
}

func must(name string, s *shape.Shape) shape.Prop {
	return shape.Prop{Name: name, Required: true, Shape: s}
}

func may(name string, s *shape.Shape) shape.Prop { return shape.Prop{Name: name, Shape: s} }

func word(doc string) *shape.Shape { return &shape.Shape{Kind: shape.String, Doc: doc} }

// line is a text that may stand in a header or a log line.
func line(doc string, maxLength int) *shape.Shape {
	return &shape.Shape{Kind: shape.String, Doc: doc, NoControl: true, MaxLength: maxLength}
}

func id(doc string) *shape.Shape {
	return &shape.Shape{Kind: shape.String, Format: "uuid", Doc: doc}
}

func count(doc string) *shape.Shape {
	return &shape.Shape{Kind: shape.Integer, Min: shape.Bound(0), Doc: doc}
}

func flag(doc string) *shape.Shape { return &shape.Shape{Kind: shape.Bool, Doc: doc} }

func enum(doc string, values ...string) *shape.Shape {
	return &shape.Shape{Kind: shape.String, Enum: values, Doc: doc}
}

func list(of *shape.Shape, doc string) *shape.Shape {
	return &shape.Shape{Kind: shape.Array, Elem: of, Doc: doc}
}

func mapOf(of *shape.Shape, doc string) *shape.Shape {
	return &shape.Shape{Kind: shape.Map, Elem: of, Doc: doc}
}

func orNull(s *shape.Shape) *shape.Shape {
	with := *s
	with.Nullable = true
	return &with
}

func address(doc string) *shape.Shape { return word(doc) }

func moment(doc string) *shape.Shape {
	return &shape.Shape{Kind: shape.String, Doc: doc + " UTC, ISO 8601, microseconds, Z.", Example: "2026-11-21T09:30:00.000000Z"}
}

// Bodies of requests.

func importBody() *shape.Shape {
	userShape := object("The person on whose behalf the file is imported.",
		may("id", line("", 255)), may("name", line("", 255)), may("email", line("", 255)),
		may("companyId", line("", 255)), may("companyName", line("", 255)))
	return object("Exactly one of schema_id and fields must be sent.",
		may("schema_id", id("A saved schema.")),
		may("fields", schemajson.FieldsShape()),
		may("settings", schemajson.SettingsShape()),
		may("hooks", schemajson.HooksShape()),
		may("original_filename", orNull(&shape.Shape{Kind: shape.String, NoControl: true, MaxLength: service.MaxFilename, Doc: "The name of the file that will be uploaded. Not together with initial_data."})),
		may(rowsField, orNull(list(mapOf(nil, "A row: values by field key or header."), "All rows to import, at most 15,728,640 bytes as sent. No file is uploaded then."))),
		may("import_metadata", orNull(object("", may("user", orNull(userShape))))),
	)
}

func schemaBody() *shape.Shape {
	return object("A saved schema.",
		may("id", id("Read only: it is given by the service.")),
		must("name", &shape.Shape{Kind: shape.String, NoControl: true, MinLength: 1, MaxLength: 255, Doc: "Unique in the organization."}),
		must("fields", schemajson.FieldsShape()),
		must("settings", schemajson.SettingsShape()),
		may("hooks", schemajson.HooksShape()),
	)
}

func credentialBody() *shape.Shape {
	return object("What is needed to log in to an SFTP server.",
		must("hostname", line("Host name or address.", 253)),
		must("port", &shape.Shape{Kind: shape.Integer, Min: shape.Bound(1), Max: shape.Bound(65535)}),
		must("user", &shape.Shape{Kind: shape.String, NoControl: true, MinLength: 1, MaxLength: service.MaxLabel}),
		must("auth_type", enum("", "PASSWORD", "KEY")),
		may("password", orNull(&shape.Shape{Kind: shape.String, MaxLength: 4096, Doc: "With auth_type PASSWORD only."})),
		may("private_key", orNull(&shape.Shape{Kind: shape.String, MaxLength: 65536, Doc: "In OpenSSH format, without a passphrase. With auth_type KEY only."})),
	)
}

func expiresIn() shape.Prop {
	return may("expires_in", &shape.Shape{
		Kind: shape.Integer, Min: shape.Bound(1), Max: shape.Bound(int64(service.MaxTokenLife.Seconds())),
		Default: int64(service.DefaultTokenLife.Seconds()), Doc: "How long the hydration token is valid, in seconds.",
	})
}

func sessionBody() *shape.Shape {
	return object("", may("import_identifier", &shape.Shape{Kind: shape.String, NoControl: true, MaxLength: service.MaxLabel, Default: "", Doc: "A label for the session."}), expiresIn())
}

func resumeBody() *shape.Shape { return object("", expiresIn()) }

// Answers.

func userAnswer() *shape.Shape {
	return object("All five are always there, empty where unknown.",
		must("id", word("")), must("name", word("")), must("email", word("")),
		must("companyId", word("")), must("companyName", word("")))
}

func noticeAnswer() *shape.Shape {
	return object("", with(mainProps("What is wrong and what to do."),
		must("type", enum("", "EMPTY_FILE", "UNREADABLE_FILE", "TOO_LARGE", "ENCODING_UNCERTAIN", "HEADER_ROW_UNCERTAIN",
			"SHEET_UNCERTAIN", "OTHER_TABLES", "UNMAPPED_FIELDS", "COLUMN_CONFLICT", "AMBIGUOUS_COLUMN", "VALUE_MAPPED",
			"VALIDATION", "REPAIRED_ROW", "MAX_RECORDS", "NO_ROWS", "ALL_ROWS_REMOVED", "HOOK_FAILED", "CANCELLED_BY_HOOK", "TRUNCATED")),
		must("level", enum("", "error", "warning", "info")),
		may("rowIndex", count("The data row, counted from 0.")),
		may("fieldKey", word("")), may("header", word("")),
		may("value", word("The raw text of the cell, at most 4,096 bytes of it.")),
		may("manyToOneIndex", count("Which of the columns of a field with manyToOne, from 0.")),
		may("total", count("With TRUNCATED: how many elements there are in all.")),
	)...)
}

func importProps() []shape.Prop {
	return []shape.Prop{
		must("id", id("")), must("schema_id", id("An inline schema has an id of its own.")),
		must("status", enum("", "AWAITING_UPLOAD", "PENDING", "RUNNING", "SUCCESSFUL", "FAILED", "NEEDS_REVIEW")),
		must("original_filename", word("\"\" where nothing gave a name.")),
		must("created_date", moment("")), must("modified_date", moment("")),
	}
}

func importListItem() *shape.Shape { return object("An import in a list.", importProps()...) }

func importAnswer() *shape.Shape {
	return object("An import.", append(importProps(),
		must("upload", address("The signed address that takes the file: one PUT of the bytes, valid for 1800 s from this answer.")),
		must("review_url", address("The page on which a person settles what is open.")),
		must("result_metadata", orNull(resultMetadataShape())),
		must("import_errors", orNull(list(noticeAnswer(), "At most 1,000, and then one of type TRUNCATED."))))...)
}

func resultMetadataShape() *shape.Shape {
	field := object("The column that feeds the field; null where none does. With manyToOne the columns, which are a list then.",
		must("fileHeader", orNull(word(""))), must("fileHeaderIndex", orNull(count("From 0."))),
		may("fileHeaders", list(word(""), "With manyToOne only.")), may("fileHeaderIndexes", list(count("From 0."), "With manyToOne only.")),
		must("isCustom", flag("")), must("manyToOne", flag("")))
	choice := object("", with(reasonProps(""), must("value", word("")))...)
	return object("What the import found out; null before an attempt has ended.",
		must("id", id("The id of the upload.")), must("filename", orNull(word(""))), must("importIdentifier", word("")),
		must("user", orNull(userAnswer())), must("rawHeaders", orNull(list(word(""), ""))),
		must("fields", mapOf(field, "By field key.")),
		must("numDataRows", count("")), must("numOutputRows", count("")), must("numRowsWithError", count("")),
		must("rowsWithError", list(count(""), "The first 10,000 data rows with an error, from 0.")),
		must("source", mapOf(choice, "What was decided about the file (format, encoding, delimiter, header row), each with its reason.")),
		must("sha256", word("Of the received file, hexadecimal.")))
}

func pageOf(of *shape.Shape) *shape.Shape {
	return object("", must("count", count("How many there are in all.")),
		must("next", orNull(address("The next page."))), must("previous", orNull(address("The page before."))),
		must("results", list(of, "")))
}

func schemaAnswer() *shape.Shape {
	return object("A schema.", with(warningProps("What was accepted and will not work, or cannot be meant."),
		must("id", id("")), must("name", word("")), must("fields", schemajson.FieldsShape()),
		must("settings", schemajson.SettingsShape()), must("hooks", schemajson.HooksShape()))...)
}

func uploadAnswer() *shape.Shape {
	raw := object("", must("filename", word("")), must("storage_key", word("")),
		may("download_url", address("In the metadata only: a signed address of the received file, valid for 1800 s.")))
	return object("A received file and its account.",
		must("id", id("")), must("import_identifier", word("")), must("raw_upload", raw), must("user", userAnswer()),
		must("created_date", moment("")), must("upload_status", enum("", "PENDING_UPLOAD", "PROCESSING", "PROCESSED", "FAILED")),
		must("total_num_rows", count("Data rows, after maxRecords.")),
		must("invalid_row_indexes", list(count(""), "Data rows with an error, from 0; at most 1,000 in a list, 10,000 in the metadata.")),
		must("errors", list(noticeAnswer(), "At most 10 in a list, 1,000 in the metadata.")),
		must("storage_key", word("")), must("field_order", list(word(""), "")))
}

func uploadsAnswer() *shape.Shape {
	return object("", must("start", count("")), must("end", count("")),
		must("total_num_uploads", count("What the filter leaves.")), must("data", list(uploadAnswer(), "Newest first.")))
}

func presignedAnswer() *shape.Shape {
	return object("", must("presigned_url", address("A signed address of the result, valid for 1800 s.")))
}

func credentialAnswer() *shape.Shape {
	return object("", must("id", id("")), must("hostname", word("")), must("port", count("")), must("user", word("")),
		must("auth_type", enum("", "PASSWORD", "KEY")), must("key_fingerprint", word("Tells which secret is stored: SHA256:… of the public key, or of the password under a key of the server.")))
}

func connectionAnswer() *shape.Shape {
	return object("", with(errorProps("A sentence where it failed, else \"\"."), must("success", flag("")),
		may("host_key_fingerprint", word("The key that the server showed.")))...)
}

func sessionAnswer() *shape.Shape {
	return object("", must("sessionId", id("")), must("hydrationId", word("The hydration token.")),
		must("expiresIn", count("In seconds.")), must("savedAt", moment("")))
}

func hydrationAnswer() *shape.Shape {
	return object("", must("hydrationId", word("The hydration token.")), must("expiresIn", count("In seconds.")))
}

func successAnswer() *shape.Shape { return object("", must("success", flag(""))) }

func savedAnswer() *shape.Shape { return object("", must("savedAt", moment(""))) }

func reviewAnswer() *shape.Shape {
	return object("", must("id", id("")), must("title", word("")), must("status", word("")), must("original_filename", word("")),
		must("num_data_rows", count("")), must("num_rows_with_error", count("")), must("import_errors", list(noticeAnswer(), "At most 50.")),
		must("invalidDataBehavior", word("What becomes of rows with an error.")), must("styleOverrides", &shape.Shape{Kind: shape.Map, Doc: "As in the settings."}),
		must("openQuestions", count("")), must("hasRows", flag("There are rows to review.")), must("finished", orNull(moment("When the file was read last."))),
		may("first", object("What table/ and rows/ give, where rows were asked for, there are some and no question is open.", must("table", deskTableAnswer()), must("rows", deskWindowAnswer()))))
}

func healthAnswer() *shape.Shape { return object("", must("status", enum("", "ok"))) }
