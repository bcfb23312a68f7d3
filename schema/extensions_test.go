package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/schema"
)

// TestExtensions checks the extensions of fields and the issues in invalid ones.
func TestExtensions(t *testing.T) {
	const fields = `"fields":[{"key":"a","label":"A","type":"number"},{"key":"b","label":"B","type":"checkbox"},{"key":"c","label":"C"}]`
	s, err := schema.Read(strings.NewReader(`{` + fields + `,"extensions":{"fields":{"a":{"labels":{"de":"Wert","en":"A"},"missingValues":["999"," n.b. "]},"b":{"lenient":true,"missingValues":[]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"999", "n.b."}, s.Fields[0].MissingValues); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Wert"}, s.Fields[0].AlternateMatches); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b := s.Fields[1]; !b.Lenient || b.MissingValues == nil || len(b.MissingValues) > 0 {
		t.Errorf("field b: %+v", b)
	}
	if c := s.Fields[2]; c.Lenient || c.MissingValues != nil {
		t.Errorf("field c: %+v", c)
	}
	for extensions, want := range map[string]string{
		`{"fields":{"x":{}}}`:                         `extensions.fields.x: refers to the unknown field`,
		`{"fields":{"a":{"lenient":true}}}`:           `extensions.fields.a.lenient: needs a field of the type checkbox`,
		`{"fields":{"a":{"missingValues":[" "]}}}`:    `extensions.fields.a.missingValues[0]: must not be blank`,
		`{"fields":{"a":{"missingValues":[""]}}}`:     `extensions.fields.a.missingValues[0]: `,
		`{"fields":{"a":{"missingValues":"999"}}}`:    `extensions.fields.a.missingValues: `,
		`{"fields":{"a":{"missing":["999"]}}}`:        `extensions.fields.a.missing: `,
		`{"fields":{"a":{"labels":{"x y":"Jahre"}}}}`: `extensions.fields.a.labels.x y: is not a language tag`,
		`{"field":{}}`: `extensions.field: `,
		`{"fields":{"a":{"missingValues":["x"` + strings.Repeat(`,"x"`, 100) + `]}}}`: `extensions.fields.a.missingValues: must contain at most 100 markers`,
	} {
		_, err := schema.Read(strings.NewReader(`{` + fields + `,"extensions":` + extensions + `}`))
		var invalid *schema.InvalidError
		if !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: error %v, want %q", extensions, err, want)
		}
	}
}
