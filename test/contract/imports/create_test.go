package imports_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

const unknownID = "0f8fad5b-d9cb-469f-a165-70867728950e"

var importKeys = []string{
	"created_date", "id", "import_errors", "modified_date", "original_filename", "result_metadata",
	"review_url", "schema_id", "status", "upload",
}

func keysOf(doc m) []string {
	keys := []string{}
	for key := range doc {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// TestImportResource checks every property of a new import, both when it is created and
// when it is retrieved.
func TestImportResource(t *testing.T) {
	each(t, func(c client) {
		saved := c.saveSchema(people(), m{}, m{})
		made := c.create(m{"schema_id": saved, "original_filename": "people.csv"}).Object()
		got := c.get(made["id"].(string)).WantStatus(http.StatusOK).Object()
		for _, doc := range []m{made, got} {
			keys := importKeys
			if c.Site.AllowsDirectUploads() {
				keys = slices.Sorted(slices.Values(append(slices.Clone(importKeys), "direct_upload")))
			}
			if diff := cmp.Diff(keys, keysOf(doc)); diff != "" {
				c.T.Error("the keys of an import:", diff)
			}
			c.checkNew(doc, saved, "people.csv")
		}
		if made["id"] != got["id"] || made["review_url"] != got["review_url"] || made["created_date"] != got["created_date"] {
			c.T.Errorf("a retrieve returns another import: %s, %s", show(made), show(got))
		}
	})
}

func (c client) checkNew(doc m, schemaID, filename string) {
	c.T.Helper()
	wanted := m{
		"schema_id": schemaID, "status": "AWAITING_UPLOAD", "original_filename": filename,
		"result_metadata": nil, "import_errors": nil,
	}
	for key, want := range wanted {
		if doc[key] != want {
			c.T.Errorf("%s is %v, want %v", key, doc[key], want)
		}
	}
	id, _ := doc["id"].(string)
	if !apitest.IsUUID(id) {
		c.T.Errorf("id is %v", doc["id"])
	}
	for _, key := range []string{"created_date", "modified_date"} {
		if text, _ := doc[key].(string); !apitest.IsTime(text) {
			c.T.Errorf("%s is %v", key, doc[key])
		}
	}
	upload, review := c.address(doc["upload"]), c.address(doc["review_url"])
	if upload.RawQuery == "" {
		c.T.Errorf("the upload URL is not signed: %s", upload)
	}
	if !strings.Contains(review.Path, id) || len(review.Fragment) < 32 {
		c.T.Errorf("review_url %q has the id not in its path or no token in its fragment", review)
	}
}

// address parses an absolute URL of the server.
func (c client) address(value any) *url.URL {
	c.T.Helper()
	text, _ := value.(string)
	at, err := url.Parse(text)
	if err != nil || !strings.HasPrefix(text, c.Site.URL+"/") {
		c.T.Fatalf("%q is not a URL of this service", text)
	}
	return at
}

// TestCreateNeedsExactlyOneSchema checks that a request with two schemas, no schema or an
// unknown id is rejected.
func TestCreateNeedsExactlyOneSchema(t *testing.T) {
	each(t, func(c client) {
		saved := c.saveSchema(people(), m{}, m{})
		c.refused(m{"schema_id": saved, "fields": people()}, 400, "schema_id")
		c.refused(m{}, 400, "schema_id")
		c.refused(m{"settings": m{}, "hooks": m{}}, 400, "schema_id")
		c.refused(m{"schema_id": unknownID}, 404, "schema_id")
		c.refused(m{"schema_id": "people"}, 400, "schema_id")
		c.refused(m{"schema_id": ""}, 400, "schema_id")
		c.refused(m{"schema_id": 7}, 400, "schema_id")
		c.refused(inline([]any{}), 400, "fields")
		c.refused(m{"fields": m{}}, 400, "fields")
		c.refused(m{"fields": "email"}, 400, "fields")
		// Invalid values are reported before unknown ids.
		c.refused(m{"schema_id": unknownID, "settings": m{"maxRecords": "5"}}, 400, "settings")
		c.create(inline(people()))
		c.create(m{"schema_id": strings.ToUpper(saved)})
	})
}

// TestCreateBodyIsClosed checks that undocumented properties, malformed bodies and other
// content types are rejected.
func TestCreateBodyIsClosed(t *testing.T) {
	each(t, func(c client) {
		for _, name := range []string{"name", "file_name", "filename", "user", "initialData", "Fields", "id", "status"} {
			c.refused(inline(people(), m{name: "x"}), 400, name)
		}
		for _, body := range []string{`[]`, `null`, `"x"`, `7`, `{`, `{"fields":[}`, `{"fields":[]}{}`, "{\"fields\":\"\xff\"}",
			`{"fields":[],"fields":[]}`, `{"original_filename":"a\u0000b","fields":[{"key":"a","label":"A"}]}`} {
			c.refused(body, 400, "")
		}
		if got := c.Call("POST", importsPath, nil).Status; got != 400 {
			c.T.Errorf("no body: status %d", got)
		}
		if got := c.Call("POST", importsPath, show(inline(people())), "Content-Type", "text/csv").Status; got != 415 {
			c.T.Errorf("another Content-Type: status %d", got)
		}
	})
}

// TestCreateIgnoresSlashAndQuery checks that paths work with and without a trailing slash,
// with unknown query parameters, and with ids in upper case.
func TestCreateIgnoresSlashAndQuery(t *testing.T) {
	each(t, func(c client) {
		bare := strings.TrimSuffix(importsPath, "/")
		made := c.Call("POST", bare+"?verbose=1", inline(people())).WantStatus(http.StatusCreated)
		id := made.String("id")
		c.Call("GET", importsPath+id, nil).WantStatus(http.StatusOK)
		c.Call("GET", importsPath+strings.ToUpper(id)+"/?x=y", nil).WantStatus(http.StatusOK)
		c.Call("GET", importsPath+id+"/url", nil).WantStatus(http.StatusConflict)
		c.Call("GET", importsPath+unknownID+"/", nil).WantStatus(http.StatusNotFound)
		c.Call("GET", importsPath+unknownID+"/url/", nil).WantStatus(http.StatusNotFound)
		c.Call("GET", importsPath+"people/", nil).WantStatus(http.StatusNotFound)
		c.Call("DELETE", importsPath+"people/", nil).WantStatus(http.StatusNotFound)
		c.Call("PATCH", importsPath+id+"/", m{}).WantStatus(http.StatusMethodNotAllowed)
		c.Call("DELETE", importsPath+id, nil).WantStatus(http.StatusNoContent)
	})
}

// TestInlineSchema checks that an inline schema has its own id, can be read, and is neither
// listed nor editable.
func TestInlineSchema(t *testing.T) {
	each(t, func(c client) {
		given := m{"maxRecords": 5.0, "title": "People"}
		id := c.create(inline(people(), settings(given))).String("schema_id")
		if !apitest.IsUUID(id) {
			c.T.Fatalf("schema_id is %q", id)
		}
		if other := c.create(inline(people())).String("schema_id"); other == id {
			c.T.Error("two inline schemas have the same id")
		}
		schema := c.Call("GET", schemasPath+id+"/", nil).WantStatus(http.StatusOK).Object()
		if diff := cmp.Diff(m{"fields": people(), "settings": given, "hooks": m{}}, m{
			"fields": schema["fields"], "settings": schema["settings"], "hooks": schema["hooks"]}); diff != "" {
			c.T.Error(diff)
		}
		for _, listed := range c.Call("GET", schemasPath, nil).WantStatus(http.StatusOK).Array() {
			if listed.(m)["id"] == id {
				c.T.Error("an inline schema is listed")
			}
		}
		body := m{"name": "mine", "fields": people(), "settings": m{}}
		if got := c.Call("PUT", schemasPath+id+"/", body).Status; got < 400 {
			c.T.Errorf("an inline schema can be replaced: %d", got)
		}
		if got := c.Call("DELETE", schemasPath+id+"/", nil).Status; got < 400 {
			c.T.Errorf("an inline schema can be deleted: %d", got)
		}
		again := c.Call("GET", schemasPath+id+"/", nil).WantStatus(http.StatusOK).Object()
		if diff := cmp.Diff(schema, again); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestInlineSchemaBelongsToItsImport creates a second import with the id of an inline schema.
// Whether or not the server accepts the second import, the schema must exist as long as the
// first one does.
func TestInlineSchemaBelongsToItsImport(t *testing.T) {
	each(t, func(c client) {
		first := c.create(inline(people())).Object()
		second := c.Call("POST", importsPath, m{"schema_id": first["schema_id"]})
		switch second.Status {
		case http.StatusCreated:
			c.Call("DELETE", importsPath+second.String("id")+"/", nil).WantStatus(http.StatusNoContent)
		case http.StatusNotFound:
		default:
			c.T.Errorf("status %d: %s", second.Status, second.Body)
		}
		c.Call("GET", schemasPath+first["schema_id"].(string)+"/", nil).WantStatus(http.StatusOK)
	})
}
