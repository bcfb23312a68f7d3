package httpapi

import (
	"net/http"
	"slices"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/output"
)

const (
	v1       = "/api/v1"
	headless = v1 + "/headless"
	widget   = "/api/widget/session/v2"
)

// operations is the table of all routes. The document at /openapi.json is made
// from it.
func operations() []operation {
	return slices.Concat(importOperations(), uploadOperations(), schemaOperations(), credentialOperations(), memoryOperations(),
		sessionOperations(), fileOperations(), reviewOperations(), webhookOperations(), connectorOperations(), retentionOperations(), serviceOperations())
}

func importOperations() []operation {
	const all, one = headless + "/imports/", headless + "/imports/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createImport", summary: "Create an import", auth: authBackendKey, body: importBody(), rows: true, limit: perCreate,
			status: 201, response: shapeOf[wire.Import](), errors: []int{400, 404, 409, 413, 415, 429}, serve: (*API).createImport,
			description: "The settings and hooks of the request overwrite those of the saved schema, key by key, for this import only."},
		{method: "GET", path: all, id: "listImports", summary: "List imports, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.ImportSummary]](), errors: []int{400}, serve: (*API).listImports},
		{method: "GET", path: one, id: "getImport", summary: "Retrieve an import", auth: authBackendKey, memory: readMemory, limit: perPoll,
			status: 200, response: shapeOf[wire.Import](), errors: []int{404, 429}, serve: (*API).getImport},
		{method: "DELETE", path: one, id: "deleteImport", summary: "Delete an import and everything it stored", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteImport, description: "An import that runs is stopped."},
		{method: "GET", path: one + "url/", id: "getImportResult", summary: "Get a signed address of the result", auth: authBackendKey, memory: readMemory, query: formatParam(),
			status: 200, response: shapeOf[wire.PresignedURL](), errors: []int{400, 404, 409}, serve: (*API).importURL, description: "409 before the import is SUCCESSFUL."},
		{method: "GET", path: one + "questions/", id: "getQuestions", summary: "List what only a person can decide about an import", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{404}, serve: (*API).getQuestions},
		{method: "POST", path: one + "questions/", id: "answerQuestions", summary: "Answer questions about an import", auth: authBackendKey, body: answersBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).answerQuestions,
			description: "Once every open question has an answer the import is PENDING and runs again from its stored file. 409 unless it is NEEDS_REVIEW."},
		{method: "GET", path: one + "cells/", id: "getCells", summary: "Tell where the cells of a row came from, and why they are as they are", auth: authBackendKey, memory: readMemory, query: cellParams(), requiredQuery: []string{"row"},
			status: 200, response: shapeOf[wire.Lineage](), errors: []int{400, 404, 409}, serve: (*API).getCells, description: "409 while the import has no rows."},
	}
}

func memoryOperations() []operation {
	const all = headless + "/memory/"
	return []operation{
		{method: "GET", path: all, id: "listMemory", summary: "List what persons decided in imports of one kind, newest first", auth: authBackendKey, memory: readMemory, query: append(identifierParams(), pageParams()...), requiredQuery: []string{identifierName},
			status: 200, response: shapeOf[wire.Page[wire.LearnedMapping]](), errors: []int{400}, serve: (*API).listMemory,
			description: "Which column feeds a field, and what a text stands for: it is offered again to imports of the same importIdentifier."},
		{method: "DELETE", path: all, id: "forgetMemory", summary: "Forget what persons decided in imports of one kind", auth: authBackendKey, query: identifierParams(), requiredQuery: []string{identifierName},
			status: 204, errors: []int{400}, serve: (*API).forgetMemory, description: "Also where there is nothing. Imports that have begun to run keep what they were offered."},
	}
}

func uploadOperations() []operation {
	const one = v1 + "/upload/{id}/"
	return []operation{
		{method: "GET", path: v1 + "/uploads/", id: "listUploads", summary: "List processed uploads, newest first", auth: authBackendKey, memory: readMemory, query: uploadParams(),
			status: 200, response: shapeOf[wire.Uploads](), errors: []int{400}, serve: (*API).listUploads},
		{method: "GET", path: one + "metadata/", id: "getUploadMetadata", summary: "Retrieve an upload, whatever its status", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[wire.Upload](), errors: []int{404}, serve: (*API).uploadMetadata},
		{method: "GET", path: one + "url/", id: "getUploadResult", summary: "Get a signed address of the result", auth: authBackendKey, memory: readMemory, query: formatParam(),
			status: 200, response: shapeOf[wire.PresignedURL](), errors: []int{400, 404, 409}, serve: (*API).uploadURL, description: "409 before the upload is PROCESSED."},
		{method: "GET", path: one + "data/", id: "getUploadRows", summary: "Removed: was the rows of an upload", auth: authBackendKey,
			errors: []int{404, 410}, serve: (*API).goneOperation, description: "Take the address of the result in place of it."},
		{method: "POST", path: one + "delete/", id: "deleteUpload", summary: "Delete an upload, its file and its result", auth: authBackendKey,
			status: 200, errors: []int{404, 409}, serve: (*API).deleteUpload, description: "It cannot be undone. 409 while the import is under way."},
	}
}

func schemaOperations() []operation {
	const all, one = v1 + "/schemas/", v1 + "/schemas/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createSchema", summary: "Save a schema", auth: authBackendKey, body: schemaBody(),
			status: 201, response: shapeOf[wire.Schema](), errors: []int{400, 409, 413, 415}, serve: (*API).createSchema},
		{method: "GET", path: all, id: "listSchemas", summary: "List the saved schemas", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[[]wire.Schema](), serve: (*API).listSchemas},
		{method: "GET", path: one, id: "getSchema", summary: "Retrieve a schema", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[wire.Schema](), errors: []int{404}, serve: (*API).getSchema},
		{method: "PUT", path: one, id: "replaceSchema", summary: "Replace a saved schema", auth: authBackendKey, body: schemaBody(),
			status: 200, response: shapeOf[wire.Schema](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).replaceSchema,
			description: "Imports made before keep what they were made with."},
		{method: "DELETE", path: one, id: "deleteSchema", summary: "Delete a saved schema", auth: authBackendKey,
			status: 204, errors: []int{404, 409}, serve: (*API).deleteSchema},
	}
}

func credentialOperations() []operation {
	const all, one = headless + "/sftp/credentials/", headless + "/sftp/credentials/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createCredential", summary: "Keep an SFTP credential", auth: authBackendKey, body: credentialBody(),
			status: 201, response: shapeOf[wire.Credential](), errors: []int{400, 409, 413, 415}, serve: (*API).createCredential},
		{method: "GET", path: all, id: "listCredentials", summary: "List SFTP credentials, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.Credential]](), errors: []int{400}, serve: (*API).listCredentials},
		{method: "GET", path: one, id: "getCredential", summary: "Retrieve an SFTP credential", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Credential](), errors: []int{404}, serve: (*API).getCredential},
		{method: "PUT", path: one, id: "replaceCredential", summary: "Replace an SFTP credential", auth: authBackendKey, body: credentialBody(),
			status: 200, response: shapeOf[wire.Credential](), errors: []int{400, 404, 413, 415}, serve: (*API).replaceCredential,
			description: "A secret that is missing or empty keeps the stored one."},
		{method: "DELETE", path: one, id: "deleteCredential", summary: "Delete an SFTP credential", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteCredential},
		{method: "POST", path: one + "test_connection/", id: "testCredential", summary: "Log in with an SFTP credential", auth: authBackendKey,
			status: 200, response: shapeOf[wire.ConnectionTest](), errors: []int{404, 409}, serve: (*API).testCredential,
			description: "A failure to connect is an answer, too: success is false then. The first success pins the server's host key."},
	}
}

func sessionOperations() []operation {
	const state, file = widget + "/state/", widget + "/file/"
	tokens := []parameter{{"hydrationId", "The hydration token, where the header X-Hydration-Id does not carry it.", stringType("")}}
	return []operation{
		{method: "POST", path: widget + "/auth/", id: "createSession", summary: "Create a session", auth: authBackendKey, body: sessionBody(), optionalBody: true,
			status: 201, response: shapeOf[wire.Session](), errors: []int{400, 409, 413, 415}, serve: (*API).createSession},
		{method: "POST", path: widget + "/{sessionId}/auth/", id: "resumeSession", summary: "Get a further token for a session", auth: authBackendKey, body: resumeBody(), optionalBody: true,
			status: 200, response: shapeOf[wire.HydrationToken](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).resumeSession},
		{method: "DELETE", path: widget + "/{sessionId}/", id: "deleteSession", summary: "Delete a session with its state, file and tokens", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Success](), errors: []int{404}, serve: (*API).deleteSession,
			description: "Also where the session was deleted before. From the answer on its tokens open nothing."},
		{method: "GET", path: state, id: "getSessionState", summary: "Read the state of a session", auth: authHydrationToken, memory: stateMemory, query: tokens,
			status: 200, response: &jsonschema.Schema{Description: "The document as it was saved."}, errors: []int{404}, serve: (*API).getState},
		{method: "PUT", path: state, id: "putSessionState", summary: "Save the state of a session", auth: authHydrationToken, query: tokens, upload: true, media: "application/json",
			headers: []parameter{{"If-Match", "Save only if the state in place has one of these ETags (at most 20), or * for any; 412 if it has another. Weak tags fit nothing.", stringType("")}},
			status:  200, response: shapeOf[wire.Saved](), errors: []int{400, 408, 412, 413, 415}, serve: (*API).putState},
		{method: "GET", path: file, id: "getSessionFile", summary: "Read the file of a session", auth: authHydrationToken, query: tokens,
			status: 200, media: "*/*", errors: []int{404}, serve: (*API).getSessionFile},
		{method: "PUT", path: file, id: "putSessionFile", summary: "Save the file of a session", auth: authHydrationToken, query: tokens, upload: true,
			headers: fileHeaders(), status: 200, response: shapeOf[wire.Saved](), errors: []int{400, 408, 413, 415}, serve: (*API).putSessionFile},
	}
}

func fileOperations() []operation {
	token := []parameter{{"token", "The signature that came with the address.", stringType("")}}
	return []operation{
		{method: "PUT", path: "/upload/{id}", id: "uploadFile", summary: "Send the file of an import", auth: authSignedURL, query: token, headers: fileHeaders(), upload: true,
			status: 200, errors: []int{400, 404, 408, 409, 413, 415}, serve: (*API).receiveUpload,
			description: "The body is the file, of any Content-Type. The answer comes once the bytes are durable; its ETag is their MD5."},
		{method: "POST", path: "/upload/{id}", id: "uploadForm", summary: "Send the file of an import from a form", auth: authSignedURL, query: token, upload: true, media: "multipart/form-data",
			status: 200, errors: []int{400, 404, 408, 409, 413, 415}, serve: (*API).receiveUpload, description: "multipart/form-data with one part named file, and at most 1 MiB beside it. Digests in the header of that part are verified."},
		{method: "GET", path: "/download/{id}", id: "downloadFile", summary: "Read a received file or a result", auth: authSignedURL, query: token,
			status: 200, media: "*/*", errors: []int{404}, serve: (*API).serveDownload},
	}
}

func reviewOperations() []operation {
	const one = "/api/review/v1/{id}/"
	return []operation{
		{method: "POST", path: one + "session/", id: "openReview", summary: "Exchange the token of a review link for a cookie", auth: authReviewLink, memory: readMemory, query: firstParams(),
			status: 200, response: shapeOf[wire.Review](), errors: []int{400, 404}, serve: (*API).openReview,
			description: "The token is the fragment of review_url, sent as Authorization: Bearer. The cookie lasts 12 hours, is for this import only and is not shown to scripts."},
		{method: "GET", path: one, id: "getReview", summary: "What the review page shows of an import", auth: authReviewCookie, memory: readMemory, query: firstParams(),
			status: 200, response: shapeOf[wire.Review](), errors: []int{400, 404}, serve: (*API).getReview},
		{method: "GET", path: one + "questions/", id: "getReviewQuestions", summary: "List what is open about the file", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{404}, serve: (*API).getQuestions},
		{method: "POST", path: one + "questions/", id: "answerReviewQuestions", summary: "Answer questions about the file", auth: authReviewCookie, body: answersBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).answerQuestions},
		{method: "GET", path: one + "layout/", id: "getReviewLayout", summary: "How the file was understood, and which columns feed which fields", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Layout](), errors: []int{404}, serve: (*API).getLayout},
		{method: "POST", path: one + "layout/", id: "relayReview", summary: "Decide anew how the file is understood", auth: authReviewCookie, body: answersBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.Layout](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postLayout,
			description: "Answers that no question need have asked for. The import is PENDING and runs again from its stored file; changes of rows are dropped, and where the reading of the file changes, earlier answers about its columns too."},
		{method: "GET", path: one + "events/", id: "getReviewEvents", summary: "Tell what happens to an import, as it happens", auth: authReviewCookie, memory: readMemory,
			status: 200, media: "text/event-stream", errors: []int{404, 503}, serve: (*API).getEvents,
			description: "Server-sent events: state, with status, run, change and totals, at once and whenever one of them changes; progress, with op, kind, done and total, while a change of rows is made."},
		{method: "GET", path: one + "table/", id: "getReviewTable", summary: "The columns of the table, and how many rows have problems", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.ReviewTable](), errors: []int{404, 409}, serve: (*API).getReviewTable},
		{method: "GET", path: one + "rows/", id: "getReviewRows", summary: "Rows of a view", auth: authReviewCookie, memory: readMemory, query: append(filterParams(), rowParams()...),
			status: 200, response: shapeOf[wire.ReviewRows](), errors: []int{400, 404, 409}, serve: (*API).getReviewRows,
			description: "A view keeps the rows that fitted the filter when it was made, also those that were mended since; without one, or where it was forgotten, a new one is made."},
		{method: "GET", path: one + "counts/", id: "getReviewCounts", summary: "How many rows have each kind of problem", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[[]wire.ReviewCount](), errors: []int{404, 409}, serve: (*API).getReviewCounts},
		{method: "GET", path: one + "values/", id: "getReviewValues", summary: "The different texts of a field, the most frequent first", auth: authReviewCookie, memory: readMemory, query: append(filterParams(), valueParams()...), requiredQuery: []string{"of"},
			status: 200, response: shapeOf[wire.ReviewValues](), errors: []int{400, 404, 409}, serve: (*API).getReviewValues},
		{method: "GET", path: one + "next/", id: "getReviewNext", summary: "The next row with a problem, or the one before", auth: authReviewCookie, memory: readMemory, query: append(filterParams(), nextParams()...),
			status: 200, response: shapeOf[wire.ReviewNext](), errors: []int{400, 404, 409}, serve: (*API).getReviewNext},
		{method: "POST", path: one + "edits/", id: "editReview", summary: "Change rows, or see what a change would do", auth: authReviewCookie, body: editBody(), cells: true, memory: readMemory,
			status: 200, response: shapeOf[wire.EditResult](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postEdit,
			description: "One with an op that was made before is not made again. 409 with the code changed_by_others and cells where somebody else changed these cells first: nothing was changed then."},
		{method: "POST", path: one + "undo/", id: "undoReview", summary: "Take the last change back", auth: authReviewCookie, body: opBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.EditResult](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postUndo},
		{method: "POST", path: one + "redo/", id: "redoReview", summary: "Make the change again that was taken back last", auth: authReviewCookie, body: opBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.EditResult](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postRedo},
		{method: "GET", path: one + "file/", id: "getReviewFile", summary: "Rows of a view as a workbook, with what is wrong", auth: authReviewCookie, memory: readMemory, query: filterParams(),
			status: 200, media: output.XLSX.ContentType(), errors: []int{400, 404, 409}, serve: (*API).getReviewFile,
			description: "Its first column, Row, names each row for good, with the version that the file holds, its last tells of their problems."},
		{method: "POST", path: one + "file/", id: "putReviewFile", summary: "Take rows back that were mended in a file", auth: authReviewCookie, memory: readMemory, query: fileParams(), upload: true,
			status: 200, response: shapeOf[wire.Corrections](), errors: []int{400, 404, 408, 409, 413, 415}, serve: (*API).putReviewFile,
			description: "The body is the workbook, or a CSV of it: rows are found by the column Row, columns by their headers. A cell changes where the file holds another text than it was made with; where it was changed here since, to something else, it is a clash and stays as it is, unless over is true."},
		{method: "GET", path: one + "submit/", id: "getSubmission", summary: "What a submission would send", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Submission](), errors: []int{404, 409}, serve: (*API).getSubmission},
		{method: "POST", path: one + "submit/", id: "submitReview", summary: "End the review: the import is SUCCESSFUL", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Submission](), errors: []int{404, 409}, serve: (*API).postSubmission,
			description: "409 where rows with an error keep it from being submitted, or beforeFinishCallback cancels it."},
	}
}

func serviceOperations() []operation {
	return []operation{
		{method: "GET", path: "/healthz", id: "health", summary: "Whether the process serves", auth: authNone,
			status: 200, response: shapeOf[wire.Health](), serve: func(*API, *call) (*response, error) {
				return jsonResponse(http.StatusOK, wire.Health{Status: "ok"}, nil)
			}},
		{method: "GET", path: "/readyz", id: "ready", summary: "Whether the stores answer", auth: authNone,
			status: 200, response: shapeOf[wire.Health](), serve: (*API).checkReady},
		{method: "GET", path: "/openapi.json", id: "document", summary: "This document", auth: authNone,
			status: 200, response: &jsonschema.Schema{Kind: jsonschema.Map}, serve: (*API).document},
	}
}

func pageParams() []parameter {
	return []parameter{
		{"offset", "How many to pass over. Default 0.", countType("")},
		{"limit", "The most to give. Default 100, at most 1,000.", &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1)}},
	}
}

func formatParam() []parameter {
	return []parameter{{"format", "The format of the result. Default json.", enumType("", "json", "ndjson", "csv", "xlsx", "parquet")}}
}

func uploadParams() []parameter {
	return []parameter{
		{"start", "The first place of the window. Default 0.", countType("")},
		{"end", "The place after the last one. Default 10,000; at most start + 10,000.", countType("")},
		{"start_date", "Only uploads created at this time or later: an ISO 8601 date (the whole day in UTC) or date and time.", stringType("")},
		{"end_date", "Only uploads created at this time or earlier.", stringType("")},
	}
}

func fileHeaders() []parameter {
	return []parameter{
		{"Content-MD5", "RFC 1864. Verified where it is sent.", stringType("")},
		{"Repr-Digest", "RFC 9530. Its sha-256 is verified where it is sent.", stringType("")},
		{"X-File-Name", "The name of the file, percent-encoded UTF-8, used where the import has none.", stringType("")},
	}
}
