package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestNewFields creates fields for columns of a file, and removes one of them.
func TestNewFields(t *testing.T) {
	w := newWidgetTest(t)
	open := func(settings, more string) (review string, headers []string) {
		session, _ := w.open(w.frontendKey(hostPage), hostPage, `"fields":[{"key":"name","label":"Name"}],`+settings)
		started := w.do("POST", "/api/widget/v1/imports/", `{"fields":[{"key":"name","label":"Name"}],`+settings+more+`}`, "Authorization", "Bearer "+session)
		w.do("PUT", w.text(started, "upload"), "Name,Fax,Notes,\nAda,1,x,y\n")
		w.runAll()
		review = "/api/review/v1/" + w.text(started, "id") + "/"
		visit := w.do("POST", review+"session/", "", "Authorization", "Bearer "+w.text(started, "reviewToken"))
		return review, []string{"Authorization", "Bearer " + w.text(visit, "session")}
	}
	layout := func(review string, headers []string, answers map[string]any) int {
		body, err := json.Marshal(map[string]any{"answers": answers})
		check(t, err)
		code := w.send("POST", review+"layout/", string(body), headers...).Code
		w.runAll()
		return code
	}
	get := func(review, path string, headers []string) string {
		return w.do("GET", review+path, "", headers...).Body.String()
	}
	allowed := `"settings":{"invalidDataBehavior":"INCLUDE_INVALID_ROWS_AND_VALUES","allowCustomFields":true}`
	review, headers := open(allowed, "")
	for _, step := range []struct {
		answers map[string]any
		want    string
	}{
		{map[string]any{"new:1": "Fax", "new:2": "Remarks"}, `{"name":"Ada","Fax":"1","Remarks":"x"}`},
		{map[string]any{"new:1": nil}, `{"name":"Ada","Remarks":"x"}`},
		{map[string]any{"new:2": nil, "column:name": "2"}, `{"name":"x"}`},
		{map[string]any{"column:name": nil, "new:1": "name"}, `{"name":"Ada"}`}, // the key is taken
		{map[string]any{"new": "all", "new:1": nil, "field:2": "none"}, `{"name":"Ada","Fax":"1"}`},
	} {
		if code := layout(review, headers, step.answers); code != http.StatusOK {
			t.Fatalf("%v: %d", step.answers, code)
		}
		if got := strings.TrimSpace(get(review, "result/", headers)); got != step.want {
			t.Errorf("%v: the row is %s, want %s", step.answers, got, step.want)
		}
	}
	if !strings.Contains(get(review, "layout/", headers), `"newFields":true`) {
		t.Error("the layout does not say that fields can be created")
	}
	long := strings.Repeat("x", 256)
	for _, wrong := range []map[string]any{
		{"new:4": "x"}, {"new:1": " "}, {"new": "some"}, {"new:x": "x"}, {"new:1": "$unmapped"}, {"new:1": long}, {"new:1": "a\nb"},
		{"column:Fax": "0"}, {"field:0": "Fax"}, {"new:1": "Fax", "column:name": "1"},
	} {
		if code := layout(review, headers, wrong); code != http.StatusBadRequest {
			t.Errorf("%v: %d", wrong, code)
		}
	}

	if shown := get(review, "layout/", headers); strings.Count(shown, `"created":true`) != 1 {
		t.Errorf("the created fields are not marked: %s", shown)
	}
	// A created field disappears with its column, and nothing that was said about it remains.
	if code := layout(review, headers, map[string]any{"new": nil, "column:name": "1"}); code != http.StatusOK {
		t.Errorf("the column of a created field: %d", code)
	}
	if got := strings.TrimSpace(get(review, "result/", headers)); got != `{"name":"1"}` {
		t.Errorf("the row is %s", got)
	}

	review, headers = open(allowed, `,"create_fields":true`)
	if got := strings.TrimSpace(get(review, "result/", headers)); got != `{"name":"Ada","Fax":"1","Notes":"x"}` {
		t.Errorf("with create_fields, the row is %s", got)
	}
	review, headers = open(`"settings":{"invalidDataBehavior":"INCLUDE_INVALID_ROWS_AND_VALUES"}`, `,"create_fields":true`)
	if got := strings.TrimSpace(get(review, "result/", headers)); got != `{"name":"Ada"}` {
		t.Errorf("without allowCustomFields, the row is %s", got)
	}
}
