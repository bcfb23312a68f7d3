package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray/internal/jsonschema"
)

// describe returns the OpenAPI 3.1 document of the operations.
func (a *API) describe() ([]byte, error) {
	parts := jsonschema.NewComponents()
	paths := map[string]map[string]any{}
	// What clients receive is open: they must accept properties that they do not know.
	for i := range a.table {
		op := &a.table[i]
		if paths[op.path] == nil {
			paths[op.path] = map[string]any{}
		}
		paths[op.path][strings.ToLower(op.method)] = map[string]any{"responses": op.responses(parts)}
	}
	events := describeEvents(parts)
	parts.Schemas()["Error"] = errorSchema(parts)
	// The server refuses unknown properties. Objects that clients also receive are described above.
	parts.Closed = true
	for i := range a.table {
		op := &a.table[i]
		maps.Copy(paths[op.path][strings.ToLower(op.method)].(map[string]any), op.describe(parts))
	}
	document, err := json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Intray", "version": a.cfg.Version, "description": description,
			"license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"contact": map[string]any{"name": "Intray", "url": "https://github.com/intraydata/intray"},
		},
		"servers":  []any{map[string]any{"url": cmp.Or(a.cfg.BaseURL, "/")}},
		"tags":     tags,
		"paths":    paths,
		"webhooks": events,
		"components": map[string]any{
			"securitySchemes": a.securitySchemes(),
			"schemas":         parts.Schemas(),
		},
	}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return document, nil
}

const description = "Turns messy spreadsheets into clean rows that match a schema. Paths work with and without a slash at the end. " +
	"Later versions may add properties to responses and webhook messages, so clients must accept properties that they do not know. " +
	"The server refuses requests with unknown properties. /openapi-3.0.json is this document in OpenAPI 3.0.3, without the webhooks."

func (a *API) securitySchemes() map[string]any {
	key := "The backend API key of the organization. Never send it to a browser."
	if others := a.cfg.KeyHeaders[1:]; len(others) > 0 {
		key += " Also accepted in: " + strings.Join(others, ", ") + "."
	}
	return map[string]any{
		"backendKey": map[string]any{"type": "apiKey", "in": "header", "name": a.cfg.KeyHeaders[0], "description": key},
		"hydrationToken": map[string]any{"type": "apiKey", "in": "header", "name": "X-Hydration-Id",
			"description": "The hydration token of a session. Also accepted in the query parameter hydrationId."},
		"reviewToken":  map[string]any{"type": "http", "scheme": "bearer", "description": "The fragment of a review_url."},
		"reviewCookie": map[string]any{"type": "apiKey", "in": "cookie", "name": visitCookie, "description": "The cookie from openReview."},

		"importLinkToken":   map[string]any{"type": "http", "scheme": "bearer", "description": "The last segment of the url of an import link."},
		"frontendKey":       map[string]any{"type": "apiKey", "in": "header", "name": a.cfg.KeyHeaders[0], "description": "A frontend API key of the organization. It is public."},
		"widgetSession":     map[string]any{"type": "http", "scheme": "bearer", "description": "The session from openWidget."},
		"importLinkSession": map[string]any{"type": "http", "scheme": "bearer", "description": "The session from openImportLink."},
	}
}

// errorSchema returns the schema of error responses.
func errorSchema(parts *jsonschema.Components) map[string]any {
	return map[string]any{
		"type":        "object",
		"description": "An error. Errors of single request fields are further properties: the name of the field and an array of sentences.",
		"required":    []string{"detail", "code", "request_id"},
		"properties": map[string]any{
			"detail":       parts.Describe(stringType("What is wrong and what to do, in English.")),
			"code":         parts.Describe(stringType("Identifies the error for programs, in snake_case.")),
			"request_id":   parts.Describe(stringType("Identifies the request in the log of the server.")),
			"message_code": parts.Describe(stringType(codeDoc)), "params": parts.Describe(paramsShape()),
			"field_messages": parts.Describe(mapType(arrayType(messageShape(), ""), "The errors of single fields as codes with parameters, by the name of the field.")),
			"changes":        map[string]any{"type": "integer", "minimum": 1, "description": "With the code discards_changes: number of changes to rows that would be lost."},
		},
		"additionalProperties": map[string]any{},
	}
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// describe describes the operation without its responses.
func (op *operation) describe(parts *jsonschema.Components) map[string]any {
	described := map[string]any{
		"operationId": op.id, "summary": op.summary, "tags": []string{op.tag()}, "security": op.security(),
		"parameters": op.parameters(parts),
	}
	if op.status == 0 {
		described["deprecated"] = true
	}
	if op.description != "" {
		described["description"] = op.description
	}
	if body := op.requestBody(parts); body != nil {
		described["requestBody"] = body
	}
	return described
}

// tags describes the groups of operations.
var tags = []map[string]string{
	{"name": "Imports", "description": "Create imports, follow them and answer their questions."},
	{"name": "Uploads", "description": "Received files: upload, download, metadata and deletion."},
	{"name": "Schemas", "description": "Saved schemas and their extensions."},
	{"name": "Import links", "description": "Public links through which people send files, and the page that they open."},
	{"name": "SFTP", "description": "Credentials and connectors that fetch files from SFTP servers and deliver results."},
	{"name": "Webhooks", "description": "Endpoints that receive events, with their deliveries."},
	{"name": "Sessions", "description": "Saved states of embedded imports."},
	{"name": "Review", "description": "What the review page calls."},
	{"name": "Retention", "description": "For how long data is kept, and receipts for what was deleted."},
	{"name": "Service", "description": "Health checks and this document."},
}

func (op *operation) tag() string {
	for _, tag := range []struct{ part, name string }{
		{"/import-links", "Import links"}, {"/api/in/", "Import links"}, {"/imports", "Imports"}, {"/memory", "Imports"}, {"/upload/{id}", "Uploads"}, {"/uploads", "Uploads"}, {"/download", "Uploads"}, {"/schemas", "Schemas"},
		{"/sftp", "SFTP"}, {"/session/v2", "Sessions"}, {"/review", "Review"}, {"/webhooks", "Webhooks"}, {"/retention", "Retention"}, {"/receipts", "Retention"},
	} {
		if strings.Contains(op.path, tag.part) {
			return tag.name
		}
	}
	return "Service"
}

// security returns the credential that the operation requires. For an API key, the list contains
// the required scope, as OpenAPI 3.1 allows.
func (op *operation) security() []any {
	scheme := map[authMethod]string{
		authBackendKey: "backendKey", authHydrationToken: "hydrationToken", authReviewLink: "reviewToken", authReviewCookie: "reviewCookie",
		authImportLink: "importLinkToken", authLinkSession: "importLinkSession", authFrontendKey: "frontendKey", authWidgetSession: "widgetSession",
	}[op.auth]
	if scheme == "" {
		return []any{}
	}
	roles := []string{}
	if scope := scopeOf[op.id]; scope != "" {
		roles = append(roles, string(scope))
	}
	return []any{map[string]any{scheme: roles}}
}

func (op *operation) parameters(parts *jsonschema.Components) []any {
	list := []any{}
	for _, match := range pathParameter.FindAllStringSubmatch(op.path, -1) {
		id := parameter{match[1], op.idDoc(), uuidType("")}
		described := id.describe(parts, "path")
		described["required"] = true
		list = append(list, described)
	}
	for _, p := range op.query {
		described := p.describe(parts, "query")
		if slices.Contains(op.requiredQuery, p.name) {
			described["required"] = true
		}
		list = append(list, described)
	}
	for _, p := range op.headers {
		list = append(list, p.describe(parts, "header"))
	}
	if op.method == http.MethodPost && op.auth == authBackendKey {
		key := parameter{"Idempotency-Key", "Makes retries safe. For 72 hours the same request with the same key returns the same response and does nothing. Another request with the key is refused with 409.", stringType("")}
		described := key.describe(parts, "header")
		described["schema"] = map[string]any{"type": "string", "pattern": idempotencyKey().String()}
		list = append(list, described)
	}
	return list
}

// idDoc describes the parameter in the path of the operation.
func (op *operation) idDoc() string {
	if op.auth == authSignedURL {
		return "The id in the signed URL."
	}
	before, _, _ := strings.Cut(op.path, "/{")
	return "Id of the " + map[string]string{
		"imports": "import", "upload": "upload", "schemas": "schema", "credentials": "credential", "connectors": "connector",
		"webhooks": "webhook", "import-links": "import link", "v2": "session", "v1": "import",
	}[path.Base(before)] + "."
}

func (p parameter) describe(parts *jsonschema.Components, in string) map[string]any {
	return map[string]any{"name": p.name, "in": in, "description": cmp.Or(p.text, p.schema.Description), "schema": parts.Describe(p.schema)}
}

// binary is the schema of the bytes of a file.
func binary() map[string]any { return map[string]any{"type": "string", "format": "binary"} }

const octetStream = "application/octet-stream"

func (op *operation) requestBody(parts *jsonschema.Components) map[string]any {
	content := func(media string, schema map[string]any) map[string]any {
		return map[string]any{"required": !op.optionalBody, "content": map[string]any{media: map[string]any{"schema": schema}}}
	}
	switch {
	case op.body != nil:
		return content("application/json", parts.Describe(op.body))
	case op.upload && op.media == "multipart/form-data":
		return content(op.media, map[string]any{"type": "object", "required": []string{"file"}, "properties": map[string]any{"file": binary()}})
	case op.upload && op.media != "":
		return content(op.media, map[string]any{})
	case op.upload:
		return content(octetStream, binary())
	}
	return nil
}

// responses describes the successful response and the errors, including authentication errors.
func (op *operation) responses(parts *jsonschema.Components) map[string]any {
	all := map[string]any{}
	if op.status != 0 {
		success := map[string]any{"description": http.StatusText(op.status)}
		if content := op.responseContent(parts); content != nil {
			success["content"] = content
		}
		all[strconv.Itoa(op.status)] = success
	}
	if op.created {
		all[strconv.Itoa(http.StatusCreated)] = map[string]any{"description": http.StatusText(http.StatusCreated)}
	}
	for _, status := range op.errorStatuses() {
		all[strconv.Itoa(status)] = map[string]any{
			"description": statusText(status),
			"content":     map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}},
		}
	}
	return all
}

// statusText is like http.StatusText, but also knows the status of the tus protocol.
func statusText(status int) string {
	if status == statusChecksumMismatch {
		return "Checksum Mismatch"
	}
	return http.StatusText(status)
}

// responseContent describes the body of a successful response. It returns nil if there is none.
func (op *operation) responseContent(parts *jsonschema.Components) map[string]any {
	file := map[string]any{"schema": binary()}
	switch {
	case op.response != nil:
		return map[string]any{"application/json": map[string]any{"schema": parts.Describe(op.response)}}
	case op.upload || op.media == "":
		return nil
	case op.media == "*/*": // a result can also be JSON
		return map[string]any{octetStream: file, op.media: map[string]any{"schema": map[string]any{}}}
	case op.media == "text/event-stream":
		return map[string]any{op.media: map[string]any{"schema": map[string]any{"type": "string"}}}
	}
	return map[string]any{octetStream: file, op.media: file} // some programs know only the first
}

// errorStatuses returns the error statuses that the document lists for the operation.
func (op *operation) errorStatuses() []int {
	list := append([]int{}, op.errors...)
	switch op.auth {
	case authBackendKey:
		list = append(list, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	case authReviewLink, authReviewCookie, authImportLink, authLinkSession, authFrontendKey, authWidgetSession:
		list = append(list, http.StatusUnauthorized, http.StatusForbidden)
	case authHydrationToken, authSignedURL:
		list = append(list, http.StatusForbidden)
	}
	if op.method == http.MethodPost && op.auth == authBackendKey {
		list = append(list, http.StatusBadRequest, http.StatusConflict)
	}
	if op.body != nil {
		list = append(list, http.StatusRequestTimeout)
	}
	if op.path != "/healthz" && op.path != "/readyz" { // health checks accept every host
		list = append(list, http.StatusMisdirectedRequest)
	}
	if op.path != "/healthz" && !op.isDocument() {
		list = append(list, http.StatusServiceUnavailable)
	}
	return list
}
