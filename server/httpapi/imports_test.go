package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/wire"
)

// TestFieldsOfManyColumns checks the response for an import in which several
// columns are mapped to one field.
func TestFieldsOfManyColumns(t *testing.T) {
	s := newServer(t, nil)
	const imports = "/api/v1/headless/imports/"
	made := s.do("POST", imports, `{"fields":[{"key":"mails","label":"Mail","type":"email","manyToOne":true,"requireMapping":true},{"key":"name","label":"Name"},{"key":"more","label":"More","manyToOne":true}]}`)
	id := s.text(made, "id")
	s.do("PUT", s.text(made, "upload"), "Name,Q7,Z3\nAda,a@example.org,nobody\nBob,b@example.org,c@example.org\n", "Content-Type", "text/csv")
	s.runAll()
	path := imports + id + "/questions/"
	if got := s.do("GET", path, "").Body.String(); !strings.Contains(got, `"anyColumn":true,"manyColumns":true,"answer":null`) {
		t.Fatalf("the questions are %s", got)
	}
	for _, wrong := range []string{"1,1", "1,3", "1,", "2,none"} {
		if w := s.send("POST", path, `{"answers":{"column:mails":"`+wrong+`"}}`); w.Code != 400 {
			t.Errorf("the answer %s: status %d, %s", wrong, w.Code, w.Body)
		}
	}
	s.do("POST", path, `{"answers":{"column:mails":"1,2"}}`)
	s.runAll()

	var got struct {
		Metadata struct {
			ID     string
			Fields json.RawMessage
		} `json:"result_metadata"`
		Errors []wire.Notice `json:"import_errors"`
	}
	check(t, json.Unmarshal(s.do("GET", imports+id+"/", "").Body.Bytes(), &got))
	want := `{"mails":{"fileHeader":null,"fileHeaders":["Q7","Z3"],"fileHeaderIndex":null,"fileHeaderIndexes":[1,2],"isCustom":false,"manyToOne":true},` +
		`"more":{"fileHeader":null,"fileHeaders":[],"fileHeaderIndex":null,"fileHeaderIndexes":[],"isCustom":false,"manyToOne":true},` +
		`"name":{"fileHeader":"Name","fileHeaderIndex":0,"isCustom":false,"manyToOne":false}}`
	if diff := cmp.Diff(want, string(got.Metadata.Fields)); diff != "" {
		t.Error(diff)
	}
	var upload struct{ Errors []wire.Notice }
	check(t, json.Unmarshal(s.do("GET", "/api/v1/upload/"+got.Metadata.ID+"/metadata/", "").Body.Bytes(), &upload))
	for place, list := range map[string][]wire.Notice{"import_errors": got.Errors, "errors": upload.Errors} {
		if len(list) != 1 || list[0].ManyToOneIndex == nil || *list[0].ManyToOneIndex != 1 || list[0].Header != "Z3" {
			t.Errorf("%s: %+v", place, list)
		}
	}
	cells := s.do("GET", imports+id+"/cells/?row=0&field=mails", "").Body.String()
	if !strings.Contains(cells, `"columns":[{"index":1,"header":"Q7"},{"index":2,"header":"Z3"}],"raw":"[\"a@example.org\",\"nobody\"]"`) || !strings.Contains(cells, `"manyToOneIndex":1`) {
		t.Errorf("the cell: %s", cells)
	}
}
