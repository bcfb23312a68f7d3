package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestDerivedColumns adds columns to the table of a file, uses them, and removes one of them.
func TestDerivedColumns(t *testing.T) {
	w := newWidgetTest(t)
	const properties = `"fields":[{"key":"name","label":"Full name"},{"key":"city","label":"City"},{"key":"country","label":"Country"}],"settings":{"invalidDataBehavior":"INCLUDE_INVALID_ROWS_AND_VALUES","passThroughUnmappedColumns":true}`
	session, _ := w.open(w.frontendKey(hostPage), hostPage, properties)
	started := w.do("POST", "/api/widget/v1/imports/", `{`+properties+`}`, "Authorization", "Bearer "+session)
	w.do("PUT", w.text(started, "upload"), "First,Last,Qzx\nAda,Lovelace,12345 London\nGrace,,67890 New York\nshort\nlong,x,1 y,surplus\n")
	w.runAll()
	review := "/api/review/v1/" + w.text(started, "id") + "/"
	visit := w.do("POST", review+"session/", "", "Authorization", "Bearer "+w.text(started, "reviewToken"))
	headers := []string{"Authorization", "Bearer " + w.text(visit, "session")}
	layout := func(answers map[string]any) int {
		body, err := json.Marshal(map[string]any{"answers": answers})
		check(t, err)
		code := w.send("POST", review+"layout/", string(body), headers...).Code
		w.runAll()
		return code
	}
	name, city := `{"name":"Full name","join":{"columns":[0,1],"with":" "}}`, `{"name":"Wvu","split":{"column":2,"at":" ","part":1,"rest":true}}`
	country := `{"name":"Yyy","constant":"GB"}`
	if code := layout(map[string]any{"derived": "[" + name + "," + city + "," + country + "]", "column:city": "4", "column:country": "5"}); code != http.StatusOK {
		t.Fatalf("adding columns: %d", code)
	}
	rows := func() string { return w.do("GET", review+"result/", "", headers...).Body.String() }
	want := `{"name":"Ada Lovelace","city":"London","country":"GB","$unmapped":{"0":"Ada","1":"Lovelace","2":"12345 London"}}
{"name":"Grace","city":"New York","country":"GB","$unmapped":{"0":"Grace","1":"","2":"67890 New York"}}
{"name":"short","city":"","country":"GB","$unmapped":{"0":"short","1":"","2":""}}
{"name":"long x","city":"y","country":"GB","$unmapped":{"0":"long","1":"x","2":"1 y"}}
`
	if got := rows(); got != want {
		t.Errorf("the rows are\n%s", got)
	}
	if list := w.do("GET", review+"counts/", "", headers...).Body.String(); !strings.Contains(list, `"code":"cell_count","level":"error","rows":2`) {
		t.Errorf("the problems are %s", list)
	}
	shown := w.do("GET", review+"layout/", "", headers...).Body.String()
	if !strings.Contains(shown, `"header":"Wvu","examples":["London","New York","y"]`) {
		t.Errorf("the layout is %s", shown)
	}
	preview := func(derived string) (int, string) {
		body, err := json.Marshal(map[string]any{"derived": derived})
		check(t, err)
		answer := w.send("POST", review+"derived-preview/", string(body), headers...)
		return answer.Code, strings.TrimSpace(answer.Body.String())
	}
	if code, got := preview(`[{"name":"x","change":{"column":0,"case":"upper"}},` + city + `]`); code != http.StatusOK || got != `{"rows":[["ADA","London"],["GRACE","New York"],["SHORT",""],["LONG","y"]]}` {
		t.Errorf("the preview is %d %s", code, got)
	}
	// Columns are made only from those of the file.
	if code, got := preview(`[{"name":"x","change":{"column":3,"case":"upper"}}]`); code != http.StatusBadRequest {
		t.Errorf("the preview of an unknown column is %d %s", code, got)
	}
	// Without the second column, the third one has another index, so it must be chosen again.
	if code := layout(map[string]any{"derived": "[" + name + "," + country + "]"}); code != http.StatusOK {
		t.Fatalf("removing a column: %d", code)
	}
	if got := rows(); !strings.HasPrefix(got, `{"name":"Ada Lovelace","city":null,"country":null,`) {
		t.Errorf("the rows are\n%s", got)
	}
	for _, wrong := range []map[string]any{{"derived": "x"}, {"derived": ""}, {"derived": "null"}, {"derived": "[]]x"}, {"derived": `[{"name":"x","join":{"columns":[3]}}]`}, {"column:city": "5"}} {
		if code := layout(wrong); code != http.StatusBadRequest {
			t.Errorf("%v: %d", wrong, code)
		}
	}
	if code := layout(map[string]any{"derived": nil}); code != http.StatusOK {
		t.Fatalf("removing all columns: %d", code)
	}
	if asked := w.do("GET", review+"questions/", "", headers...).Body.String(); !strings.Contains(asked, `"id":"column:name"`) {
		t.Errorf("the questions are %s", asked)
	}
}
