package imports_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	goodRow = "a@example.org,A\n"
	badRow  = "nobody,B\n"
)

// TestMerge checks that the settings and hooks of a request are merged into those of a
// saved schema.
func TestMerge(t *testing.T) {
	include := m{"invalidDataBehavior": "INCLUDE_INVALID_ROWS", "maxRecords": 2, "importIdentifier": "saved"}
	hooks := m{"rowHooks": []any{"() => { throw new Error('no') }"}, "bulkRowHooks": []any{}}
	tests := []struct {
		name               string
		savedHooks         m
		body               m
		status, identifier string
		rows               int
	}{
		{"nothing", m{}, m{}, "SUCCESSFUL", "saved", 2},
		{"empty objects", m{}, m{"settings": m{}, "hooks": m{}}, "SUCCESSFUL", "saved", 2},
		{"one key", m{}, settings(m{"maxRecords": 1}), "SUCCESSFUL", "saved", 1},
		{"null overrides", m{}, settings(m{"maxRecords": nil}), "SUCCESSFUL", "saved", 3},
		{"empty text overrides", m{}, settings(m{"importIdentifier": ""}), "SUCCESSFUL", "", 2},
		{"another key", m{}, settings(m{"invalidDataBehavior": "REMOVE_INVALID_ROWS"}), "SUCCESSFUL", "saved", 1},
		{"old spelling yields to the saved one", m{}, settings(m{"allowInvalidSubmit": false}), "SUCCESSFUL", "saved", 2},
		{"saved hooks stay", hooks, m{"hooks": m{"bulkRowHooks": []any{}}}, "FAILED", "saved", 0},
		{"hooks are replaced", hooks, m{"hooks": m{"rowHooks": []any{}}}, "SUCCESSFUL", "saved", 2},
		{"hooks are added", m{}, m{"hooks": m{"beforeFinishCallback": "() => { throw new Error('no') }"}}, "FAILED", "saved", 0},
	}
	each(t, func(c client) {
		for _, tt := range tests {
			saved := c.saveSchema(people(), include, tt.savedHooks)
			before := c.Call("GET", schemasPath+saved+"/", nil).Text()
			body := with(tt.body, m{"schema_id": saved})
			e := c.run(body, "email,name\n"+goodRow+badRow+goodRow)
			metadata := e.metadata()
			got := fmt.Sprintf("%s %v %v", e.status, metadata["importIdentifier"], metadata["numOutputRows"])
			if want := fmt.Sprintf("%s %v %v", tt.status, tt.identifier, tt.rows); got != want {
				c.T.Errorf("%s: %s, want %s: %s", tt.name, got, want, show(e.doc))
			}
			if after := c.Call("GET", schemasPath+saved+"/", nil).Text(); after != before {
				c.T.Errorf("%s: the saved schema has changed: %s", tt.name, after)
			}
		}
	})
}

// TestMergeIsChecked checks that contradictions are rejected even if they only result from
// merging.
func TestMergeIsChecked(t *testing.T) {
	each(t, func(c client) {
		saved := c.saveSchema(people(), m{"manualInputOnly": true}, m{})
		c.refused(m{"schema_id": saved, "settings": m{"manualInputDisabled": true}}, 400, "settings")
		column := m{"columnHooks": []any{m{"fieldName": "nobody", "callback": "x => x"}}}
		c.refused(m{"schema_id": saved, "hooks": column}, 400, "hooks")
	})
}

// TestSchemaIsFrozen checks that an import is not affected if its saved schema is changed
// or deleted before the upload.
func TestSchemaIsFrozen(t *testing.T) {
	each(t, func(c client) {
		saved := c.saveSchema(people(), m{"importIdentifier": "before"}, m{})
		first := c.create(m{"schema_id": saved})
		second := c.create(m{"schema_id": saved})
		changed := m{"name": "changed " + saved, "fields": []any{field("other", "string", "required")}, "settings": m{}}
		c.Call("PUT", schemasPath+saved+"/", changed).WantStatus(http.StatusOK)
		c.PutFile(first.String("upload"), "email,name\n"+goodRow).WantStatus(http.StatusOK)
		c.checkFrozen(first.String("id"), saved)
		c.Call("DELETE", schemasPath+saved+"/", nil).WantStatus(http.StatusNoContent)
		c.PutFile(second.String("upload"), "email,name\n"+goodRow).WantStatus(http.StatusOK)
		c.checkFrozen(second.String("id"), saved)
		c.checkFrozen(first.String("id"), saved)
		c.refused(m{"schema_id": saved}, 404, "schema_id")
	})
}

func (c client) checkFrozen(id, saved string) {
	c.T.Helper()
	e := c.await(id).want("SUCCESSFUL")
	if diff := cmp.Diff(`[{"email":"a@example.org","name":"A","town":null}]`, e.rows()); diff != "" {
		c.T.Error(diff)
	}
	if e.doc["schema_id"] != saved || e.metadata()["importIdentifier"] != "before" {
		c.T.Errorf("the frozen schema has changed: %s", show(e.doc))
	}
}
