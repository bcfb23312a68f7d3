package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/schema"
)

// describe returns the OpenAPI 3.1 document of the operations.
func (a *API) describe() ([]byte, error) {
	parts := newSchemaParts()
	paths := map[string]map[string]any{}
	for i := range a.table {
		op := &a.table[i]
		if paths[op.path] == nil {
			paths[op.path] = map[string]any{}
		}
		paths[op.path][strings.ToLower(op.method)] = parts.withReferences(op.describe())
	}
	schemas := parts.schemas()
	schemas["Error"] = errorSchema()
	document, err := json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Intray", "version": a.cfg.Version,
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Turns messy spreadsheets into clean rows that match a schema. Paths work with and without a slash at the end.",
		},
		"servers": []any{map[string]any{"url": cmp.Or(a.cfg.BaseURL, "/")}},
		"paths":   paths,
		"components": map[string]any{
			"securitySchemes": a.securitySchemes(),
			"schemas":         schemas,
		},
	}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	return document, nil
}

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
		"importLinkSession": map[string]any{"type": "http", "scheme": "bearer", "description": "The session from openImportLink."},
	}
}

func errorSchema() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{
		"type":        "object",
		"description": "Errors of single request fields are further properties: the name of the field and an array of sentences.",
		"required":    []string{"detail", "code", "request_id"},
		"properties": map[string]any{
			"detail": map[string]any{"type": "string", "description": "What is wrong and what to do, in English."},
			"code":   map[string]any{"type": "string", "description": "Identifies the error for programs, in snake_case."}, "request_id": text,
			"message_code": map[string]any{"type": "string", "description": codeDoc}, "params": paramsShape().JSONSchema(),
			"field_messages": mapType(arrayType(messageShape(), ""), "The errors of single fields as codes with parameters, by the name of the field.").JSONSchema(),
			"changes":        map[string]any{"type": "integer", "minimum": 1, "description": "With the code discards_changes: number of changes to rows that would be lost."},
		},
		"additionalProperties": map[string]any{"type": "array", "items": text},
	}
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

func (op *operation) describe() map[string]any {
	described := map[string]any{
		"operationId": op.id, "summary": op.summary, "tags": []string{op.tag()}, "security": op.security(),
		"responses": op.responses(), "parameters": op.parameters(),
	}
	if op.status == 0 {
		described["deprecated"] = true
	}
	if op.description != "" {
		described["description"] = op.description
	}
	if body := op.requestBody(); body != nil {
		described["requestBody"] = body
	}
	return described
}

func (op *operation) tag() string {
	for _, tag := range []struct{ part, name string }{
		{"/import-links", "Import links"}, {"/api/in/", "Import links"}, {"/imports", "Imports"}, {"/memory", "Imports"}, {"/upload/{id}", "Uploads"}, {"/uploads", "Uploads"}, {"/download", "Uploads"}, {"/schemas", "Schemas"},
		{"/sftp", "SFTP"}, {"/session", "Sessions"}, {"/review", "Review"},
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
		authImportLink: "importLinkToken", authLinkSession: "importLinkSession",
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

func (op *operation) parameters() []any {
	list := []any{}
	for _, match := range pathParameter.FindAllStringSubmatch(op.path, -1) {
		list = append(list, map[string]any{"name": match[1], "in": "path", "required": true, "schema": uuidType("").JSONSchema()})
	}
	for _, p := range op.query {
		described := p.describe("query")
		if slices.Contains(op.requiredQuery, p.name) {
			described["required"] = true
		}
		list = append(list, described)
	}
	for _, p := range op.headers {
		list = append(list, p.describe("header"))
	}
	if op.method == http.MethodPost && op.auth == authBackendKey {
		key := parameter{"Idempotency-Key", "Makes retries safe. For 72 hours the same request with the same key returns the same response and does nothing. Another request with the key is refused with 409.", stringType("")}
		described := key.describe("header")
		described["schema"] = map[string]any{"type": "string", "pattern": idempotencyKey.String()}
		list = append(list, described)
	}
	return list
}

func (p parameter) describe(in string) map[string]any {
	return map[string]any{"name": p.name, "in": in, "description": p.text, "schema": p.schema.JSONSchema()}
}

func (op *operation) requestBody() map[string]any {
	switch {
	case op.body != nil:
		return map[string]any{"required": !op.optionalBody, "content": map[string]any{"application/json": map[string]any{"schema": op.body.JSONSchema()}}}
	case op.upload && op.media == "multipart/form-data":
		file := map[string]any{"type": "object", "required": []string{"file"}, "properties": map[string]any{"file": map[string]any{"type": "string", "contentMediaType": "application/octet-stream"}}}
		return map[string]any{"required": true, "content": map[string]any{op.media: map[string]any{"schema": file}}}
	case op.upload:
		media := op.media
		media = cmp.Or(media, "*/*")
		return map[string]any{"required": true, "content": map[string]any{media: map[string]any{"schema": map[string]any{}}}}
	}
	return nil
}

// responses describes the successful response and the errors, including authentication errors.
func (op *operation) responses() map[string]any {
	all := map[string]any{}
	if op.status != 0 {
		success := map[string]any{"description": http.StatusText(op.status)}
		switch {
		case op.response != nil:
			success["content"] = map[string]any{"application/json": map[string]any{"schema": op.response.JSONSchema()}}
		case op.media == "*/*":
			success["content"] = map[string]any{"*/*": map[string]any{"schema": map[string]any{}}}
		}
		all[strconv.Itoa(op.status)] = success
	}
	for _, status := range op.errorStatuses() {
		all[strconv.Itoa(status)] = map[string]any{
			"description": http.StatusText(status),
			"content":     map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}},
		}
	}
	return all
}

// errorStatuses returns the error statuses that the document lists for the operation.
func (op *operation) errorStatuses() []int {
	list := append([]int{}, op.errors...)
	switch op.auth {
	case authBackendKey:
		list = append(list, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests)
	case authReviewLink, authReviewCookie, authImportLink, authLinkSession:
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
	if op.path != "/healthz" && op.path != "/openapi.json" {
		list = append(list, http.StatusServiceUnavailable)
	}
	return list
}

// schemaParts are the schemas that appear only once in the document, by name.
// Everywhere else, the document refers to them.
type schemaParts struct {
	named []namedShape
	// names maps the JSON of each schema to its name.
	names map[string]string
}

type namedShape struct {
	name   string
	schema map[string]any
}

// newSchemaParts names the schemas. A schema precedes the larger schemas that contain it.
func newSchemaParts() *schemaParts {
	p := &schemaParts{names: map[string]string{}}
	for _, part := range []struct {
		name string
		of   *jsonschema.Schema
	}{
		{"Fields", schema.FieldsShape()}, {"Settings", schema.SettingsShape()}, {"Hooks", schema.HooksShape()},
		{"Message", messageShape()}, {"User", shapeOf[wire.User]()}, {"Notice", shapeOf[wire.Notice]()}, {"ResultMetadata", shapeOf[*wire.ResultMetadata]()},
		{"Import", shapeOf[wire.Import]()}, {"ImportListItem", shapeOf[wire.ImportSummary]()}, {"Schema", shapeOf[wire.Schema]()},
		{"SchemaDraft", schemaBody()}, {"Upload", shapeOf[wire.Upload]()}, {"SftpCredential", shapeOf[wire.Credential]()}, {"SftpCredentialDraft", credentialBody()},
		{"ReviewTable", shapeOf[wire.ReviewTable]()}, {"ReviewRows", shapeOf[wire.ReviewRows]()},
	} {
		schema := part.of.JSONSchema()
		p.names[schemaKey(schema)] = part.name
		p.named = append(p.named, namedShape{part.name, schema})
	}
	return p
}

func schemaKey(schema any) string {
	text, err := json.Marshal(schema)
	if err != nil {
		return ""
	}
	return string(text)
}

// schemas returns the named schemas, with references to each other.
func (p *schemaParts) schemas() map[string]any {
	all := map[string]any{}
	for _, part := range p.named {
		inner := map[string]any{}
		for name, value := range part.schema {
			inner[name] = p.withReferences(value)
		}
		all[part.name] = inner
	}
	return all
}

// withReferences returns value with each named schema in it replaced by a reference.
func (p *schemaParts) withReferences(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if name, ok := p.names[schemaKey(v)]; ok {
			return map[string]any{"$ref": "#/components/schemas/" + name}
		}
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[name] = p.withReferences(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = p.withReferences(inner)
		}
		return out
	}
	return value
}
