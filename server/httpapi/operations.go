package httpapi

import (
	"net/http"
	"slices"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/schema"
)

const (
	v1             = "/api/v1"
	headless       = v1 + "/headless"
	widgetSessions = "/api/widget/session/v2"
)

// operations returns the table of all operations. The document at /openapi.json is
// generated from it.
func operations() []operation {
	return slices.Concat(importOperations(), uploadOperations(), schemaOperations(), credentialOperations(), memoryOperations(),
		importLinkOperations(), linkPageOperations(), widgetOperations(), sessionOperations(), fileOperations(), reviewOperations(), webhookOperations(), connectorOperations(), retentionOperations(), serviceOperations())
}

func importOperations() []operation {
	const all, one = headless + "/imports/", headless + "/imports/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createImport", summary: "Create an import", auth: authBackendKey, body: importBody(), rows: true, starts: true, limit: perCreate,
			status: 201, response: shapeOf[wire.Import](), errors: []int{400, 404, 409, 413, 415, 429}, serve: (*API).createImport,
			description: "Settings and hooks in the request override those of the saved schema, key by key, for this import only."},
		{method: "GET", path: all, id: "listImports", summary: "List imports, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.ImportSummary]](), errors: []int{400}, serve: (*API).listImports},
		{method: "GET", path: one, id: "getImport", summary: "Retrieve an import", auth: authBackendKey, memory: readMemory, limit: perPoll,
			status: 200, response: shapeOf[wire.Import](), errors: []int{404, 429}, serve: (*API).getImport},
		{method: "DELETE", path: one, id: "deleteImport", summary: "Delete an import and everything it stored", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteImport, description: "A running import is stopped."},
		{method: "POST", path: one + "review-link/", id: "renewReviewLink", summary: "Replace the review link of an import", auth: authBackendKey,
			status: 200, response: shapeOf[wire.ReviewLink](), errors: []int{404}, serve: (*API).renewReviewLink,
			description: "The previous link, and pages that were opened with it, stop working at once. Links expire after 30 days unless the server is configured differently."},
		{method: "DELETE", path: one + "review-link/", id: "revokeReviewLink", summary: "Revoke the review link of an import", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).revokeReviewLink, description: "Pages that were opened with the link stop working at once. The review_url of the import then contains no token."},
		{method: "GET", path: one + "rehydration/", id: "rehydrateImport", summary: "Get what an embedded importer needs to continue an import", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Rehydration](), errors: []int{404, 409}, serve: (*API).rehydrateImport,
			description: "Pass the response to the importer in the page of the person who fixes the rows. It opens this import only, as long as its review link is valid. 409 if the review link was revoked or has expired."},
		{method: "GET", path: one + "url/", id: "getImportResult", summary: "Get a signed URL of the result", auth: authBackendKey, memory: readMemory, query: formatParam(),
			status: 200, response: shapeOf[wire.PresignedURL](), errors: []int{400, 404, 409}, serve: (*API).importURL, description: "409 until the import is SUCCESSFUL."},
		{method: "GET", path: one + "questions/", id: "getQuestions", summary: "List open questions for an import", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{404}, serve: (*API).getQuestions},
		{method: "POST", path: one + "questions/", id: "answerQuestions", summary: "Answer questions about an import", auth: authBackendKey, body: answersBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).answerQuestions,
			description: "Once all open questions have an answer, the import is PENDING and runs again from its stored file. 409 unless it is NEEDS_REVIEW."},
		{method: "GET", path: one + "cells/", id: "getCells", summary: "Explain the values of a row (lineage)", auth: authBackendKey, memory: readMemory, query: cellParams(), requiredQuery: []string{"row"},
			status: 200, response: shapeOf[wire.Lineage](), errors: []int{400, 404, 409}, serve: (*API).getCells, description: "409 if the import has no rows yet."},
	}
}

func memoryOperations() []operation {
	const all = headless + "/memory/"
	return []operation{
		{method: "GET", path: all, id: "listMemory", summary: "List learned mappings, newest first", auth: authBackendKey, memory: readMemory, query: append(identifierParams(), pageParams()...), requiredQuery: []string{identifierName},
			status: 200, response: shapeOf[wire.Page[wire.LearnedMapping]](), errors: []int{400}, serve: (*API).listMemory,
			description: "Decisions of people, such as which column feeds a field and which value a text means. Intray suggests them for later imports with the same importIdentifier."},
		{method: "DELETE", path: all, id: "forgetMemory", summary: "Forget learned mappings", auth: authBackendKey, query: identifierParams(), requiredQuery: []string{identifierName},
			status: 204, errors: []int{400}, serve: (*API).forgetMemory, description: "Also succeeds if nothing was learned. Imports that have started to run still use them."},
		{method: "GET", path: all + "lexicon/", id: "getLexicon", summary: "Export learned mappings as a lexicon", auth: authBackendKey, memory: readMemory, query: identifierParams(), requiredQuery: []string{identifierName},
			status: 200, response: shapeOf[wire.Lexicon](), errors: []int{400}, serve: (*API).getLexicon},
		{method: "PUT", path: all + "lexicon/", id: "replaceLexicon", summary: "Replace learned mappings with a lexicon", auth: authBackendKey, body: lexiconBody(), query: identifierParams(), requiredQuery: []string{identifierName},
			status: 200, response: shapeOf[wire.Lexicon](), errors: []int{400, 413, 415}, serve: (*API).replaceLexicon,
			description: "Replaces all learned mappings of the identifier. Imports that have started to run still use the earlier ones."},
	}
}

func uploadOperations() []operation {
	const one = v1 + "/upload/{id}/"
	return []operation{
		{method: "GET", path: v1 + "/uploads/", id: "listUploads", summary: "List processed uploads, newest first", auth: authBackendKey, memory: readMemory, query: uploadParams(),
			status: 200, response: shapeOf[wire.Uploads](), errors: []int{400}, serve: (*API).listUploads},
		{method: "GET", path: one + "metadata/", id: "getUploadMetadata", summary: "Retrieve an upload in any status", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[wire.Upload](), errors: []int{404}, serve: (*API).uploadMetadata},
		{method: "GET", path: one + "url/", id: "getUploadResult", summary: "Get a signed URL of the result", auth: authBackendKey, memory: readMemory, query: formatParam(),
			status: 200, response: shapeOf[wire.PresignedURL](), errors: []int{400, 404, 409}, serve: (*API).uploadURL, description: "409 until the upload is PROCESSED."},
		{method: "GET", path: one + "data/", id: "getUploadRows", summary: "Removed: returned the rows of an upload", auth: authBackendKey,
			errors: []int{404, 410}, serve: (*API).goneOperation, description: "Use the signed URL of the result instead."},
		{method: "POST", path: one + "delete/", id: "deleteUpload", summary: "Delete an upload, its file and its result", auth: authBackendKey,
			status: 200, errors: []int{404, 409}, serve: (*API).deleteUpload, description: "Deletion cannot be undone. 409 while the import is in progress."},
	}
}

func schemaOperations() []operation {
	const all, one = v1 + "/schemas/", v1 + "/schemas/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createSchema", summary: "Save a schema", auth: authBackendKey, body: schemaBody(),
			status: 201, response: shapeOf[wire.Schema](), errors: []int{400, 409, 413, 415}, serve: (*API).createSchema},
		{method: "GET", path: all, id: "listSchemas", summary: "List saved schemas, oldest first", auth: authBackendKey, memory: readMemory, query: schemaPageParams(),
			status: 200, response: shapeOf[[]wire.Schema](), errors: []int{400}, serve: (*API).listSchemas},
		{method: "GET", path: one, id: "getSchema", summary: "Retrieve a schema", auth: authBackendKey, memory: readMemory,
			status: 200, response: shapeOf[wire.Schema](), errors: []int{404}, serve: (*API).getSchema},
		{method: "PUT", path: one, id: "replaceSchema", summary: "Replace a saved schema", auth: authBackendKey, body: schemaBody(),
			status: 200, response: shapeOf[wire.Schema](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).replaceSchema,
			description: "Earlier imports keep the previous version."},
		{method: "DELETE", path: one, id: "deleteSchema", summary: "Delete a saved schema", auth: authBackendKey,
			status: 204, errors: []int{404, 409}, serve: (*API).deleteSchema},
		{method: "GET", path: one + "extensions/", id: "getSchemaExtensions", summary: "Retrieve the extensions of a schema", auth: authBackendKey, memory: readMemory,
			status: 200, response: schema.ExtensionsShape(), errors: []int{404}, serve: (*API).getExtensions},
		{method: "PUT", path: one + "extensions/", id: "replaceSchemaExtensions", summary: "Replace the extensions of a saved schema", auth: authBackendKey, body: schema.ExtensionsShape(),
			status: 200, response: schema.ExtensionsShape(), errors: []int{400, 404, 409, 413, 415}, serve: (*API).replaceExtensions,
			description: "Replacing the schema does not change its extensions. Earlier imports keep the previous version."},
	}
}

func credentialOperations() []operation {
	const all, one = headless + "/sftp/credentials/", headless + "/sftp/credentials/{id}/"
	return []operation{
		{method: "POST", path: all, id: "createCredential", summary: "Create an SFTP credential", auth: authBackendKey, body: credentialBody(),
			status: 201, response: shapeOf[wire.Credential](), errors: []int{400, 409, 413, 415}, serve: (*API).createCredential},
		{method: "GET", path: all, id: "listCredentials", summary: "List SFTP credentials, newest first", auth: authBackendKey, memory: readMemory, query: pageParams(),
			status: 200, response: shapeOf[wire.Page[wire.Credential]](), errors: []int{400}, serve: (*API).listCredentials},
		{method: "GET", path: one, id: "getCredential", summary: "Retrieve an SFTP credential", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Credential](), errors: []int{404}, serve: (*API).getCredential},
		{method: "PUT", path: one, id: "replaceCredential", summary: "Replace an SFTP credential", auth: authBackendKey, body: credentialBody(),
			status: 200, response: shapeOf[wire.Credential](), errors: []int{400, 404, 413, 415}, serve: (*API).replaceCredential,
			description: "If the secret is missing or empty, the stored one is kept."},
		{method: "DELETE", path: one, id: "deleteCredential", summary: "Delete an SFTP credential", auth: authBackendKey,
			status: 204, errors: []int{404}, serve: (*API).deleteCredential},
		{method: "POST", path: one + "test_connection/", id: "testCredential", summary: "Test an SFTP credential", auth: authBackendKey,
			status: 200, response: shapeOf[wire.ConnectionTest](), errors: []int{404, 409}, serve: (*API).testCredential,
			description: "Connects and logs in. If that fails, success is false. The first success pins the host key of the server."},
	}
}

func sessionOperations() []operation {
	const state, file = widgetSessions + "/state/", widgetSessions + "/file/"
	tokens := []parameter{{"hydrationId", "The hydration token, if it is not in the header X-Hydration-Id.", stringType("")}}
	return []operation{
		{method: "POST", path: widgetSessions + "/auth/", id: "createSession", summary: "Create a session", auth: authBackendKey, body: sessionBody(), optionalBody: true,
			status: 201, response: shapeOf[wire.Session](), errors: []int{400, 409, 413, 415}, serve: (*API).createSession},
		{method: "POST", path: widgetSessions + "/{sessionId}/auth/", id: "resumeSession", summary: "Create another token for a session", auth: authBackendKey, body: resumeBody(), optionalBody: true,
			status: 200, response: shapeOf[wire.HydrationToken](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).resumeSession},
		{method: "DELETE", path: widgetSessions + "/{sessionId}/", id: "deleteSession", summary: "Delete a session with its state, file and tokens", auth: authBackendKey,
			status: 200, response: shapeOf[wire.Success](), errors: []int{404}, serve: (*API).deleteSession,
			description: "Also succeeds if the session was deleted before. After the response its tokens are invalid."},
		{method: "GET", path: state, id: "getSessionState", summary: "Get the state of a session", auth: authHydrationToken, memory: stateMemory, query: tokens,
			status: 200, response: &jsonschema.Schema{Description: "The saved document, byte for byte."}, errors: []int{404}, serve: (*API).getState},
		{method: "PUT", path: state, id: "putSessionState", summary: "Save the state of a session", auth: authHydrationToken, query: tokens, upload: true, media: "application/json",
			headers: []parameter{{"If-Match", "Save only if the current state has one of these ETags (at most 20), or * for any. Otherwise 412. Weak tags never match.", stringType("")}},
			status:  200, response: shapeOf[wire.Saved](), errors: []int{400, 408, 412, 413, 415}, serve: (*API).putState},
		{method: "GET", path: file, id: "getSessionFile", summary: "Get the file of a session", auth: authHydrationToken, query: tokens,
			status: 200, media: "*/*", errors: []int{404}, serve: (*API).getSessionFile},
		{method: "PUT", path: file, id: "putSessionFile", summary: "Save the file of a session", auth: authHydrationToken, query: tokens, upload: true,
			headers: fileHeaders(), status: 200, response: shapeOf[wire.Saved](), errors: []int{400, 408, 413, 415}, serve: (*API).putSessionFile},
	}
}

func fileOperations() []operation {
	token := []parameter{{"token", "The signature in the signed URL.", stringType("")}}
	return []operation{
		{method: "PUT", path: "/upload/{id}", id: "uploadFile", summary: "Upload the file of an import", auth: authSignedURL, query: token, headers: fileHeaders(), upload: true,
			status: 200, errors: []int{400, 404, 408, 409, 413, 415, 429}, serve: (*API).receiveUpload,
			description: "The body is the file, with any Content-Type. The server responds when the bytes are durable. The ETag is their MD5."},
		{method: "POST", path: "/upload/{id}", id: "uploadForm", summary: "Upload the file of an import from a form, or create a resumable upload", auth: authSignedURL, query: token, headers: creationHeaders(), upload: true, optionalBody: true, media: "multipart/form-data",
			status: 200, created: true, errors: []int{400, 404, 408, 409, 412, 413, 415, 429}, serve: (*API).postUpload,
			description: "multipart/form-data with one part named file, and at most 1 MiB in other parts. Digests in the header of that part are verified. " +
				"With Tus-Resumable and Upload-Length, and without a body, the request creates a resumable upload by the tus protocol 1.0.0 instead. The response is then 201, and its Location is a signed URL for HEAD and PATCH that is valid for 24 hours. An earlier resumable upload of the import is discarded."},
		{method: "HEAD", path: "/upload/{id}", id: "getUploadOffset", summary: "Get how much of a resumable upload has arrived", auth: authSignedURL, query: token, headers: tusHeaders(),
			status: 200, errors: []int{400, 404, 409, 412, 423, 429}, serve: (*API).getUploadOffset,
			description: "Upload-Offset is the number of durable bytes. It equals Upload-Length if the file is complete."},
		{method: "PATCH", path: "/upload/{id}", id: "patchUpload", summary: "Continue a resumable upload", auth: authSignedURL, query: token, headers: chunkHeaders(), upload: true, media: offsetStream,
			status: 204, errors: []int{400, 404, 408, 409, 412, 413, 415, 423, 429, statusChecksumMismatch}, serve: (*API).patchUpload,
			description: "The body is the file from Upload-Offset on, or a part of it. When the server responds, the bytes are durable. With the last byte, the import starts. If the connection is lost, the bytes that arrived are kept."},
		{method: "POST", path: "/upload/{id}/direct/", id: "createDirectUpload", summary: "Create a direct upload to the bucket", auth: authSignedURL, query: token, body: directBody(),
			status: 201, response: shapeOf[wire.DirectUpload](), errors: []int{400, 404, 409, 413, 415, 429}, serve: (*API).createDirectUpload,
			description: "Only for imports with the property direct_upload, which is the URL of this call. The client sends the file with one PUT to the URL in the response, and then calls commitDirectUpload. If that fails, it can upload the file to the upload URL of the import. An earlier upload of the import that is not complete is discarded."},
		{method: "POST", path: "/upload/{id}/commit/", id: "commitDirectUpload", summary: "Commit a direct upload", auth: authSignedURL, query: token, body: commitBody(),
			status: 204, errors: []int{400, 404, 409, 413, 415, 429}, serve: (*API).commitDirectUpload,
			description: "The server verifies that the bucket has the file with this ETag and the declared size, reads it and starts the import. The call can be repeated. 409 with the code not_stored, wrong_etag or wrong_size if the bucket has no such file."},
		{method: "GET", path: "/download/{id}", id: "downloadFile", summary: "Download a received file or a result", auth: authSignedURL, query: token,
			status: 200, media: "*/*", errors: []int{404}, serve: (*API).serveDownload},
	}
}

func reviewOperations() []operation {
	const one = "/api/review/v1/{id}/"
	return []operation{
		{method: "POST", path: one + "session/", id: "openReview", summary: "Exchange the token of a review link for a cookie", auth: authReviewLink, memory: readMemory, query: firstParams(),
			status: 200, response: shapeOf[wire.Review](), errors: []int{400, 404}, serve: (*API).openReview,
			description: "The token is the fragment of review_url, sent as Authorization: Bearer. The cookie is valid for 12 hours and for this import only. Scripts cannot read it."},
		{method: "GET", path: one, id: "getReview", summary: "Get an import for the review page", auth: authReviewCookie, memory: readMemory, query: firstParams(),
			status: 200, response: shapeOf[wire.Review](), errors: []int{400, 404}, serve: (*API).getReview},
		{method: "DELETE", path: one, id: "discardReview", summary: "Discard an import that was started on a page", auth: authReviewCookie,
			status: 204, errors: []int{404, 409}, serve: (*API).discardReview,
			description: "Deletes the import and everything it stored, so that the person can send another file. 409 if the import was not started through an import link or in an embedded importer. 409 if it is SUCCESSFUL, unless its data must not remain on the server."},
		{method: "GET", path: one + "questions/", id: "getReviewQuestions", summary: "List open questions about the file", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{404}, serve: (*API).getQuestions},
		{method: "POST", path: one + "questions/", id: "answerReviewQuestions", summary: "Answer questions about the file", auth: authReviewCookie, body: answersBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.Questions](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).answerQuestions,
			description: "Once all open questions have an answer, the import is PENDING and runs again. It then needs review even if nothing is wrong, so that the person can look at the rows before submitting them."},
		{method: "GET", path: one + "layout/", id: "getReviewLayout", summary: "Get how the file was read, and which columns feed which fields", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Layout](), errors: []int{404}, serve: (*API).getLayout},
		{method: "GET", path: one + "preview/", id: "previewFile", summary: "Get the top of the received file", auth: authReviewCookie, memory: readMemory, query: previewParams(),
			status: 200, response: shapeOf[wire.FilePreview](), errors: []int{400, 404, 409}, serve: (*API).previewFile},
		{method: "POST", path: one + "derived-preview/", id: "previewDerivedColumns", summary: "Preview columns that a person may add", auth: authReviewCookie, body: derivedPreviewBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.DerivedPreview](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).previewDerived,
			description: "Nothing is added. The rows are empty as long as a question about the sheets is open."},
		{method: "POST", path: one + "layout/", id: "relayReview", summary: "Change how the file is read", auth: authReviewCookie, body: answersBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.Layout](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postLayout,
			description: "Answers that no open question asks for are accepted too. The import is PENDING and runs again from its stored file. Changes to rows are lost. If the file is read differently, earlier answers about its columns are lost too."},
		{method: "POST", path: one + "run-again/", id: "runReviewAgain", summary: "Run the import again", auth: authReviewCookie, body: runAgainBody(), optionalBody: true, memory: readMemory,
			status: 200, response: shapeOf[wire.Review](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).runReviewAgain,
			description: "The import is PENDING and runs again from its stored file, with the same answers. Use this after a 409 with the code rows_damaged. 409 with the code discards_changes if changes to rows would be lost, unless discard is true."},
		{method: "GET", path: one + "events/", id: "getReviewEvents", summary: "Stream the events of a review", auth: authReviewCookie, memory: readMemory,
			status: 200, media: "text/event-stream", errors: []int{404, 429, 503}, serve: (*API).getEvents,
			description: "Server-sent events: state, with status, run, change and totals, at the start and after each change; progress, with op, kind, done and total, while rows are being changed; pageHooks if callPageHooks has a call."},
		{method: "GET", path: one + "table/", id: "getReviewTable", summary: "Get the columns of the table and the number of rows with problems", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.ReviewTable](), errors: []int{404, 409}, serve: (*API).getReviewTable},
		{method: "GET", path: one + "rows/", id: "getReviewRows", summary: "List rows of a view", auth: authReviewCookie, memory: readMemory, query: append(filterParams(), rowParams()...),
			status: 200, response: shapeOf[wire.ReviewRows](), errors: []int{400, 404, 409}, serve: (*API).getReviewRows,
			description: "A view keeps the rows that matched the filter when it was created, even if they have been fixed since. Without a view, or if the view has expired, a new one is created."},
		{method: "GET", path: one + "counts/", id: "getReviewCounts", summary: "Count rows by problem", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[[]wire.ReviewCount](), errors: []int{404, 409}, serve: (*API).getReviewCounts},
		{method: "GET", path: one + "values/", id: "getReviewValues", summary: "List the distinct values of a field, the most frequent first", auth: authReviewCookie, memory: readMemory, query: append(filterParams(), valueParams()...), requiredQuery: []string{"of"},
			status: 200, response: shapeOf[wire.ReviewValues](), errors: []int{400, 404, 409}, serve: (*API).getReviewValues},
		{method: "GET", path: one + "next/", id: "getReviewNext", summary: "Find the next or previous row with a problem", auth: authReviewCookie, memory: readMemory, query: append(filterParams(), nextParams()...),
			status: 200, response: shapeOf[wire.ReviewNext](), errors: []int{400, 404, 409}, serve: (*API).getReviewNext},
		{method: "POST", path: one + "edits/", id: "editReview", summary: "Change rows, or preview a change", auth: authReviewCookie, body: editBody(), cells: true, memory: readMemory,
			status: 200, response: shapeOf[wire.EditResult](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postEdit,
			description: "A change with the op of an earlier change is not made again. 409 with the code changed_by_others and a list of cells if somebody else changed these cells first. Then nothing is changed."},
		{method: "POST", path: one + "undo/", id: "undoReview", summary: "Undo the last change", auth: authReviewCookie, body: opBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.EditResult](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postUndo},
		{method: "POST", path: one + "redo/", id: "redoReview", summary: "Redo the change that was undone last", auth: authReviewCookie, body: opBody(), memory: readMemory,
			status: 200, response: shapeOf[wire.EditResult](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).postRedo},
		{method: "GET", path: one + "file/", id: "getReviewFile", summary: "Download rows of a view as a workbook", auth: authReviewCookie, memory: readMemory, query: filterParams(),
			status: 200, media: output.XLSX.ContentType(), errors: []int{400, 404, 409}, serve: (*API).getReviewFile,
			description: "The first column, Row, has the permanent id and the version of each row. The last column has the problems."},
		{method: "POST", path: one + "file/", id: "putReviewFile", summary: "Upload corrected rows", auth: authReviewCookie, memory: readMemory, query: fileParams(), upload: true,
			status: 200, response: shapeOf[wire.Corrections](), errors: []int{400, 404, 408, 409, 413, 415}, serve: (*API).putReviewFile,
			description: "The body is the downloaded workbook, or the same table as CSV. Rows are matched by the column Row, columns by their headers. A cell changes if its value in the file differs from the downloaded one. If it was changed here to something else since, it is a conflict and keeps its value, unless over is true."},
		{method: "GET", path: one + "submit/", id: "getSubmission", summary: "Preview a submission", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Submission](), errors: []int{404, 409}, serve: (*API).getSubmission},
		{method: "POST", path: one + "page-hooks/", id: "callPageHooks", summary: "Get the next call to hooks of the page that embeds an importer", auth: authReviewCookie, body: pageCallBody(), cells: true, memory: readMemory,
			status: 200, response: shapeOf[wire.PageHookCall](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).callPageHooks,
			description: "The request contains the result of the call before. Without a call, the call of the response is 0. The event pageHooks in the event stream announces calls."},
		{method: "PUT", path: one + "progress/", id: "saveProgress", summary: "Save in which step of an embedded importer the person is", auth: authReviewCookie, body: progressBody(),
			status: 200, response: shapeOf[wire.Saved](), errors: []int{400, 404, 409, 413, 415}, serve: (*API).saveProgress,
			description: "The session of the import is then kept for another 7 days. 409 if the import has no session. Answers and changes of rows are saved without this call."},
		{method: "GET", path: one + "result/", id: "getReviewResult", summary: "Get the rows as they were or would be submitted", auth: authReviewCookie, memory: readMemory,
			status: 200, media: "application/x-ndjson", errors: []int{404, 409}, serve: (*API).getReviewResult,
			description: "One JSON object per line, as in the result of the import. 409 unless the import is SUCCESSFUL or has rows under review."},
		{method: "GET", path: one + "result/metadata/", id: "getReviewMetadata", summary: "Get the metadata of the rows as they were or would be submitted", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.ReviewMetadata](), errors: []int{404, 409}, serve: (*API).getReviewMetadata},
		{method: "POST", path: one + "submit/", id: "submitReview", summary: "Submit the review", auth: authReviewCookie, memory: readMemory,
			status: 200, response: shapeOf[wire.Submission](), errors: []int{404, 409}, serve: (*API).postSubmission,
			description: "The import is SUCCESSFUL. 409 if rows with an error prevent the submission, or if beforeFinishCallback cancels it."},
	}
}

func serviceOperations() []operation {
	return []operation{
		{method: "GET", path: "/healthz", id: "health", summary: "Check that the process is up", auth: authNone,
			status: 200, response: shapeOf[wire.Health](), serve: func(*API, *call) (*response, error) {
				return jsonResponse(http.StatusOK, wire.Health{Status: "ok"}, nil)
			}},
		{method: "GET", path: "/readyz", id: "ready", summary: "Check that the database and the file storage work", auth: authNone,
			status: 200, response: shapeOf[wire.Readiness](), serve: (*API).checkReady},
		{method: "GET", path: "/openapi.json", id: "document", summary: "Get this document", auth: authNone,
			status: 200, response: &jsonschema.Schema{Kind: jsonschema.Map}, serve: (*API).document},
		{method: "GET", path: "/openapi-3.0.json", id: "document30", summary: "Get this document in OpenAPI 3.0.3", auth: authNone,
			status: 200, response: &jsonschema.Schema{Kind: jsonschema.Map}, serve: (*API).document30,
			description: "For programs that do not support OpenAPI 3.1. It lacks the webhooks and the options of field types."},
	}
}

func pageParams() []parameter {
	return []parameter{
		{"offset", "Number of elements to skip. Default: 0.", countType("")},
		{"limit", "Maximum number of elements. Default: 100, at most 1,000.", &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(1)}},
		cursorParam("The URL in next contains it."),
	}
}

// cursorParam returns the parameter for the position of a page. source describes where clients find
// its values.
func cursorParam(source string) parameter {
	return parameter{"cursor", "Start after the last element of an earlier page. " + source + " The cursor overrides the position.", stringType("")}
}

func formatParam() []parameter {
	return []parameter{{"format", "The format of the result. Default: json.", enumType("", "json", "ndjson", "csv", "xlsx", "parquet")}}
}

func uploadParams() []parameter {
	return []parameter{
		{"start", "First position of the window. Default: 0.", countType("")},
		{"end", "Position after the last one. Default: 10,000, at most start + 10,000.", countType("")},
		{"start_date", "Only uploads created at this time or later. An ISO 8601 date (the whole day in UTC) or date and time.", stringType("")},
		{"end_date", "Only uploads created at this time or earlier.", stringType("")},
		cursorParam("The Link header contains the URL of the next page."),
	}
}

func tusHeaders(more ...parameter) []parameter {
	return append([]parameter{{"Tus-Resumable", "The version of the tus protocol: 1.0.0.", stringType("")}}, more...)
}

func creationHeaders() []parameter {
	return tusHeaders(
		parameter{"Upload-Length", "The size of the file in bytes.", countType("")},
		parameter{"Upload-Metadata", "Pairs of a key and a value in base64, separated by commas. The value of filename is used if the import has no name.", stringType("")},
	)
}

func chunkHeaders() []parameter {
	return tusHeaders(
		parameter{"Upload-Offset", "The number of bytes that the server has received.", countType("")},
		parameter{"Upload-Checksum", "sha1, sha256 or md5, a space, and the checksum of the body in base64. Verified if present.", stringType("")},
	)
}

func fileHeaders() []parameter {
	return []parameter{
		{"Content-MD5", "MD5 of the file (RFC 1864). Verified if present.", stringType("")},
		{"Repr-Digest", "Digests of the file (RFC 9530). sha-256 is verified if present.", stringType("")},
		{"X-File-Name", "Name of the file in percent-encoded UTF-8, used if the import has none.", stringType("")},
	}
}
