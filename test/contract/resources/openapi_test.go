package resources_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// promised lists the operations of the contract and of the review page.
var promised = []string{
	"POST /api/v1/headless/imports/", "GET /api/v1/headless/imports/", "GET /api/v1/headless/imports/{id}/",
	"DELETE /api/v1/headless/imports/{id}/", "GET /api/v1/headless/imports/{id}/url/",
	"GET /api/v1/headless/imports/{id}/questions/", "POST /api/v1/headless/imports/{id}/questions/",
	"GET /api/v1/headless/imports/{id}/cells/", "GET /api/v1/headless/memory/", "DELETE /api/v1/headless/memory/",
	"GET /api/v1/headless/memory/lexicon/", "PUT /api/v1/headless/memory/lexicon/",
	"GET /api/v1/uploads/", "GET /api/v1/upload/{id}/metadata/", "GET /api/v1/upload/{id}/url/", "POST /api/v1/upload/{id}/delete/",
	"GET /api/v1/schemas/", "POST /api/v1/schemas/", "GET /api/v1/schemas/{id}/", "PUT /api/v1/schemas/{id}/", "DELETE /api/v1/schemas/{id}/",
	"GET /api/v1/schemas/{id}/extensions/", "PUT /api/v1/schemas/{id}/extensions/",
	"POST /api/v1/import-links/", "GET /api/v1/import-links/", "GET /api/v1/import-links/{id}/", "PUT /api/v1/import-links/{id}/", "DELETE /api/v1/import-links/{id}/",
	"PUT /api/v1/import-links/{id}/logo/", "DELETE /api/v1/import-links/{id}/logo/",
	"GET /api/v1/headless/sftp/credentials/", "POST /api/v1/headless/sftp/credentials/", "GET /api/v1/headless/sftp/credentials/{id}/",
	"PUT /api/v1/headless/sftp/credentials/{id}/", "DELETE /api/v1/headless/sftp/credentials/{id}/",
	"POST /api/v1/headless/sftp/credentials/{id}/test_connection/",
	"POST /api/widget/session/v2/auth/", "POST /api/widget/session/v2/{sessionId}/auth/", "DELETE /api/widget/session/v2/{sessionId}/",
	"GET /api/widget/session/v2/state/", "PUT /api/widget/session/v2/state/", "GET /api/widget/session/v2/file/", "PUT /api/widget/session/v2/file/",
	"PUT /upload/{id}", "POST /upload/{id}", "GET /download/{id}", "GET /healthz", "GET /readyz", "GET /openapi.json", "GET /openapi-3.0.json",
}

func TestDocumentIsValid(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		if err := s.Document.Validate(); err != nil {
			t.Errorf("/openapi.json: %v", err)
		}
		if !strings.HasPrefix(s.Document.OpenAPI, "3.1") {
			t.Errorf("the document is of OpenAPI %s, want 3.1", s.Document.OpenAPI)
		}
	})
}

// TestOlderDocumentIsValid checks the document in OpenAPI 3.0, which has the same operations and needs
// no key.
func TestOlderDocumentIsValid(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		text := nobody(t, s).Call("GET", "/openapi-3.0.json", nil).WantStatus(http.StatusOK).Body
		if err := apitest.Validate30(text); err != nil {
			t.Errorf("/openapi-3.0.json: %v", err)
		}
		var older apitest.Document
		if err := json.Unmarshal(text, &older); err != nil {
			t.Fatal(err)
		}
		for path, operations := range s.Document.Paths {
			for method, operation := range operations {
				if got := older.Paths[path][method]; got.OperationID != operation.OperationID || len(got.Responses) != len(operation.Responses) {
					t.Errorf("%s %s differs", method, path)
				}
			}
		}
		if len(older.Paths) != len(s.Document.Paths) || len(older.Components.Schemas) != len(s.Document.Components.Schemas) {
			t.Error("the documents have different paths or schemas")
		}
	})
}

func TestDocumentListsEveryOperation(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		var listed []string
		for _, o := range s.Document.List {
			listed = append(listed, o.Method+" "+strings.TrimSuffix(o.Path, "/"))
			if o.OperationID == "" || o.Summary == "" {
				t.Errorf("%s %s has no operationId or no summary", o.Method, o.Path)
			}
		}
		for _, want := range promised {
			if !slices.Contains(listed, strings.TrimSuffix(want, "/")) {
				t.Errorf("the document does not list %s", want)
			}
		}
	})
}

func TestDocumentedOperationsAreServed(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, o := range s.Document.List {
			reply := backend(t, s).Call(o.Method, o.PathWithID(absent), nil)
			if reply.Status == http.StatusMethodNotAllowed || reply.Status == http.StatusNotFound && reply.String("code") == "no_route" {
				t.Errorf("%s %s is documented but not served: %s", o.Method, o.Path, reply.Body)
			}
		}
	})
}

func TestDocumentHasNo422(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, o := range s.Document.List {
			for status, response := range o.Responses {
				if status == "422" || status == "default" || strings.HasPrefix(status, "3") {
					t.Errorf("%s has the status %s", o.OperationID, status)
				}
				if _, isJSON := response.Content["application/json"]; status >= "400" && !isJSON {
					t.Errorf("%s has no JSON body for %s", o.OperationID, status)
				}
			}
		}
	})
}

func TestDocumentNamesTheKeys(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		scheme := s.Document.Components.SecuritySchemes["backendKey"]
		if scheme.In != "header" || scheme.Name != "X-Service-License-Key" {
			t.Fatalf("the scheme of the key is %+v", scheme)
		}
		for _, o := range s.Document.List {
			underKey := strings.HasPrefix(o.Path, "/api/v1/") || strings.HasPrefix(o.Path, sessionsPath) && o.Path != statePath && o.Path != filePath
			if underKey != (o.SecurityScheme() == "backendKey") {
				t.Errorf("%s %s has the security scheme %q", o.Method, o.Path, o.SecurityScheme())
			}
		}
	})
}

// TestDocumentFitsTheContract checks that the objects in the document have the properties listed
// in the contract.
func TestDocumentFitsTheContract(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for name, want := range map[string][]string{
			"Settings": settingNames(), "Hooks": hookNames(),
			"Upload": {"created_date", "errors", "field_order", "id", "import_identifier", "invalid_row_indexes", "raw_upload",
				"storage_key", "total_num_rows", "upload_status", "user"},
			"SftpCredential":      {"auth_type", "hostname", "id", "key_fingerprint", "port", "user"},
			"SftpCredentialDraft": {"auth_type", "hostname", "password", "port", "private_key", "user"},
			"User":                {"companyId", "companyName", "email", "id", "name"},
		} {
			part, documented := s.Document.Components.Schemas[name]
			if !documented {
				t.Errorf("the document has no part %s", name)
				continue
			}
			var got []string
			for property := range part.Properties {
				got = append(got, property)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s has %v, want %v", name, got, want)
			}
			if isDraft := strings.HasSuffix(name, "Draft"); isDraft != (part.AdditionalProperties == false) {
				t.Errorf("additionalProperties of %s is %v", name, part.AdditionalProperties)
			}
		}
	})
}

// TestWhatClientsReceiveIsOpen checks that no schema of a response or a webhook message forbids
// further properties, and that the bodies of requests do.
func TestWhatClientsReceiveIsOpen(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		var document struct {
			Paths      map[string]map[string]struct{ RequestBody, Responses any }
			Webhooks   map[string]any
			Components struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(nobody(t, s).Call("GET", "/openapi.json", nil).WantStatus(http.StatusOK).Body, &document); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		var check func(at string, value any)
		check = func(at string, value any) {
			switch v := value.(type) {
			case []any:
				for _, one := range v {
					check(at, one)
				}
			case map[string]any:
				if v["additionalProperties"] == false {
					t.Errorf("%s is closed", at)
				}
				ref, _ := v["$ref"].(string)
				if name := strings.TrimPrefix(ref, "#/components/schemas/"); ref != "" && !seen[name] {
					seen[name] = true
					check(name, document.Components.Schemas[name])
				}
				for _, one := range v {
					check(at, one)
				}
			}
		}
		check("a webhook message", document.Webhooks)
		for path, operations := range document.Paths {
			for method, o := range operations {
				check("a response of "+method+" "+path, o.Responses)
			}
		}
		if len(seen) < 50 || !seen["ImportCompletedMessage"] {
			t.Errorf("saw only %d schemas", len(seen))
		}
		for name, schema := range document.Components.Schemas {
			if object, _ := schema.(map[string]any); !seen[name] && object["properties"] != nil && object["additionalProperties"] != false {
				t.Errorf("only requests have %s, which is not closed", name)
			}
		}
	})
}

// TestDocumentIsOneText checks that the document is the same with and without a trailing
// slash, and with and without a key.
func TestDocumentIsOneText(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		first := nobody(t, s).Call("GET", "/openapi.json", nil).WantStatus(http.StatusOK)
		if !json.Valid(first.Body) || first.Header.Get("Content-Type") != "application/json" {
			t.Errorf("not JSON: %s", first.Header)
		}
		if again := backend(t, s).Call("GET", "/openapi.json/", nil).WantStatus(http.StatusOK); again.Text() != first.Text() {
			t.Error("the document differs without a key or a slash")
		}
	})
}
