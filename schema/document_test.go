package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	savedText := `{"name":"x","fields":[1],"settings":{"title":"a","maxRecords":5,"styleOverrides":{"a":1}},"hooks":{"rowHooks":["a"],"bulkRowHooks":["b"]}}`
	saved := doc(t, savedText)
	over := doc(t, `{"name":"y","fields":[2],"settings":{"maxRecords":null,"developmentMode":true,"styleOverrides":{"b":2}},"hooks":{"rowHooks":["c","d"]}}`)
	want := doc(t, `{"name":"x","fields":[1],"settings":{"title":"a","maxRecords":null,"developmentMode":true,"styleOverrides":{"b":2}},"hooks":{"rowHooks":["c","d"],"bulkRowHooks":["b"]}}`)
	if diff := cmp.Diff(want, Merge(saved, over)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(doc(t, savedText), saved); diff != "" {
		t.Errorf("the saved document has changed: %s", diff)
	}
	if diff := cmp.Diff(over, Merge(Doc{}, over)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(saved, Merge(saved, Doc{})); diff != "" {
		t.Error(diff)
	}
	if got := Merge(saved, Doc{Settings: "no object"}).Settings; got != "no object" {
		t.Errorf("a document that is not an object is lost: %v", got)
	}
}

func TestNormalize(t *testing.T) {
	text := `[{"key":"a","label":"A"},{"key":"b","type":["email",{}],"validators":[{"validate":"required"}],"x":1.50},7]`
	given := decode(t, text)
	want := decode(t, `[{"key":"a","label":"A","type":"string","validators":[]},{"key":"b","type":["email",{}],"validators":[{"validate":"required"}],"x":1.50},7]`)
	if diff := cmp.Diff(want, Normalize(given)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(decode(t, text), given); diff != "" {
		t.Errorf("the argument has changed: %s", diff)
	}
	if got := Normalize("x"); got != "x" {
		t.Errorf("%v", got)
	}
}
