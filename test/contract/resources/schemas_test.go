package resources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

// schemaProps are the five properties of a schema. When a schema is saved, the response may
// also have warnings.
var schemaProps = []string{"fields", "hooks", "id", "name", "settings"}

func checkSchemaProps(t *testing.T, schema any) {
	t.Helper()
	object, _ := schema.(map[string]any)
	var names []string
	for name := range object {
		if name != "warnings" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, schemaProps) {
		t.Errorf("the schema has %v, want %v", names, schemaProps)
	}
}

// TestSchemaLife checks creating, reading, listing, replacing and deleting a schema.
func TestSchemaLife(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		if list := c.Call("GET", schemasPath, nil).WantStatus(http.StatusOK).Array(); len(list) != 0 {
			t.Fatalf("the list begins with %v", list)
		}
		made := c.Call("POST", schemasPath, schemaNamed("first")).WantStatus(http.StatusCreated)
		checkSchemaProps(t, made.Object())
		if diff := cmp.Diff(plain(m{"id": made.String("id"), "name": "first", "fields": contacts(), "settings": m{}, "hooks": m{}}), any(made.Object())); diff != "" {
			t.Errorf("the schema is not as it was sent: %s", diff)
		}
		path := schemasPath + made.String("id") + "/"
		got := c.Call("GET", path, nil).WantStatus(http.StatusOK)
		list := c.Call("GET", schemasPath, nil).WantStatus(http.StatusOK).Array()
		if got.Text() != made.Text() || len(list) != 1 || !cmp.Equal(list[0], any(got.Object())) {
			t.Errorf("made %s, read %s, listed %v", made.Body, got.Body, list)
		}
		next := m{"name": "second", "fields": []any{field(nil)}, "settings": m{"title": "T"}, "hooks": m{"rowHooks": []any{hook}}}
		replaced := c.Call("PUT", path, next).WantStatus(http.StatusOK)
		checkSchemaProps(t, replaced.Object())
		if again := c.Call("GET", path, nil).WantStatus(http.StatusOK); !cmp.Equal(again.Object()["hooks"], replaced.Object()["hooks"]) || again.String("name") != "second" || again.String("id") != made.String("id") {
			t.Errorf("replaced by %s, read %s", replaced.Body, again.Body)
		}
		c.Call("PUT", path, schemaNamed("second")).WantStatus(http.StatusOK)
		if hooks := c.Call("GET", path, nil).Object()["hooks"]; !cmp.Equal(hooks, any(m{})) {
			t.Errorf("a replacement without hooks leaves %v", hooks)
		}
		if gone := c.Call("DELETE", path, nil).WantStatus(http.StatusNoContent); len(gone.Body) != 0 {
			t.Errorf("204 with the body %s", gone.Body)
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			c.Call(method, path, schemaNamed("third")).WantStatus(http.StatusNotFound)
		}
		if list := c.Call("GET", schemasPath, nil).WantStatus(http.StatusOK).Array(); len(list) != 0 {
			t.Errorf("the list still has %v", list)
		}
	})
}

// TestSchemaNames checks that names are unique within an organization.
func TestSchemaNames(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		first := c.Call("POST", schemasPath, schemaNamed("one")).WantStatus(http.StatusCreated).String("id")
		second := c.Call("POST", schemasPath, schemaNamed("two")).WantStatus(http.StatusCreated).String("id")
		taken := c.Call("POST", schemasPath, schemaNamed("one")).WantStatus(http.StatusConflict)
		if taken.Object()["name"] == nil {
			t.Errorf("the field is not named: %s", taken.Body)
		}
		c.Call("PUT", schemasPath+second+"/", schemaNamed("one")).WantStatus(http.StatusConflict)
		if name := c.Call("GET", schemasPath+second+"/", nil).String("name"); name != "two" {
			t.Errorf("a refused replacement left the name %q", name)
		}
		c.Call("PUT", schemasPath+first+"/", schemaNamed("one")).WantStatus(http.StatusOK)
		c.Call("POST", schemasPath, schemaNamed("One")).WantStatus(http.StatusCreated)
		c.Call("DELETE", schemasPath+first+"/", nil).WantStatus(http.StatusNoContent)
		c.Call("PUT", schemasPath+second+"/", schemaNamed("one")).WantStatus(http.StatusOK)
		c.Call("POST", schemasPath, schemaNamed("two")).WantStatus(http.StatusCreated)
	})
}

// TestSchemaBodies checks that bodies with missing or undocumented properties are rejected.
func TestSchemaBodies(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		id := c.Call("POST", schemasPath, schemaNamed(unique("schema"))).WantStatus(http.StatusCreated).String("id")
		for name, change := range map[string]func(m){
			"name": func(b m) { delete(b, "name") }, "fields": func(b m) { delete(b, "fields") }, "settings": func(b m) { delete(b, "settings") },
			"hooks": func(b m) { b["hooks"] = nil }, "more": func(b m) { b["more"] = 1 },
		} {
			body := schemaNamed(unique("schema"))
			change(body)
			for _, call := range [][2]string{{"POST", schemasPath}, {"PUT", schemasPath + id + "/"}} {
				reply := c.Call(call[0], call[1], body)
				if reply.Status != http.StatusBadRequest || reply.Object()[name] == nil {
					t.Errorf("%s, wrong %s: %d %s", call[0], name, reply.Status, reply.Body)
				}
			}
		}
		for _, name := range []any{"", 1, nil, "a\nb", "a\u0001", strings.Repeat("ü", 256)} {
			body := schemaNamed("x")
			body["name"] = name
			if reply := c.Call("POST", schemasPath, body); reply.Status != http.StatusBadRequest || reply.Object()["name"] == nil {
				t.Errorf("the name %q: %d %s", name, reply.Status, reply.Body)
			}
		}
		c.Call("POST", schemasPath, schemaNamed(unique("")+strings.Repeat("ü", 200))).WantStatus(http.StatusCreated)
		// Clients send back the bodies that they read, so the id is accepted but read-only.
		body := schemaNamed(unique("schema"))
		body["id"] = absent
		if got := c.Call("PUT", schemasPath+id+"/", body).WantStatus(http.StatusOK).String("id"); got != id {
			t.Errorf("the id became %s", got)
		}
	})
}
