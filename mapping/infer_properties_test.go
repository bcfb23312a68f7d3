package mapping_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// headers draws headers that express the same meanings in different words.
var headers = rapid.SampledFrom([]string{
	"E-mail address", "Mail", "Correo electrónico", "Phone", "Tel.", "Mobile", "City", "Ort", "Billing city", "Ship to city",
	"First name", "Vorname", "Surname", "Name", "Full name", "PLZ", "Zip", "Order no", "Bestellnummer", "Order date",
	"Date", "Created", "Total", "Amount", "Net", "Notes", "Comment", "Comment 2", "Employeee number", "Widget colour index",
})

// samples draws the cells of one column. These cells look alike.
var samples = rapid.SampledFrom([][]string{
	nil, {"ann@birch.example", "bo@elm.example"}, {"2026-03-04", "2026-03-05"}, {"12.50", "7.00"}, {"Ann", "Bo"}, {"1", "2"},
})

func someColumns(t *rapid.T) []intray.Column {
	list := columns(rapid.SliceOfN(headers, 0, 8).Draw(t, "headers")...)
	for i := range list {
		list[i].Samples = samples.Draw(t, "samples")
	}
	return list
}

func someFields(t *rapid.T) []intray.Field {
	labels := rapid.SliceOfNDistinct(headers, 1, 6, rapid.ID[string]).Draw(t, "labels")
	list := make([]intray.Field, len(labels))
	for i, label := range labels {
		list[i] = field("key "+label, label)
		list[i].RequireMapping = rapid.Bool().Draw(t, "must")
	}
	return list
}

// result describes the mapping of one field, regardless of the order of fields and columns.
type result struct {
	Header    string
	Samples   []string
	Questions int
}

func results(t *rapid.T, fields []intray.Field, columns []intray.Column) map[string]result {
	m, questions, err := mapping.Suggest(t.Context(), fields, columns)
	if err != nil {
		t.Fatal(err)
	}
	all, used := map[string]result{}, map[int]bool{}
	for i, match := range m.Fields {
		r := result{}
		if match.Column != none {
			if used[match.Column] {
				t.Fatalf("column %d feeds two fields", match.Column)
			}
			used[match.Column] = true
			at := slices.IndexFunc(columns, func(c intray.Column) bool { return c.Index == match.Column })
			r.Header, r.Samples = columns[at].Header, columns[at].Samples
		}
		for _, q := range questions {
			if q.Field == fields[i].Key || slices.Contains(q.CompetingFields, fields[i].Key) {
				r.Questions = len(q.Columns)
			}
		}
		all[fields[i].Key] = r
	}
	return all
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, columns := someFields(t), someColumns(t)
		want := results(t, fields, columns)
		fields, columns = rapid.Permutation(fields).Draw(t, "fields"), rapid.Permutation(columns).Draw(t, "columns")
		if diff := cmp.Diff(want, results(t, fields, columns)); diff != "" {
			t.Fatalf("in another order (-want +got):\n%s", diff)
		}
	})
}

// TestTwoFieldsForTwoAlikeColumns checks that Suggest asks about both fields, so that the
// order of fields does not decide.
func TestTwoFieldsForTwoAlikeColumns(t *testing.T) {
	for _, labels := range [][]string{{"Ort", "Billing city"}, {"Billing city", "Ort"}} {
		_, questions, err := mapping.Suggest(t.Context(), []intray.Field{field("a", labels[0]), field("b", labels[1])}, columns("E-mail address", "City", "City"))
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]int{}
		for _, q := range questions {
			asked[q.Field] = len(q.Columns)
		}
		if diff := cmp.Diff(map[string]int{"a": 2, "b": 2}, asked); diff != "" {
			t.Errorf("%q (-want +got):\n%s", labels, diff)
		}
	}
}

func TestUnrelatedColumnDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, columns := someFields(t), someColumns(t)
		want := results(t, fields, columns)
		more := append(slices.Clip(columns), intray.Column{Index: len(columns), Header: "Xyzzy plugh", Samples: samples.Draw(t, "more")})
		if diff := cmp.Diff(want, results(t, fields, more)); diff != "" {
			t.Fatalf("with one more column (-want +got):\n%s", diff)
		}
	})
}

func FuzzSuggest(f *testing.F) {
	f.Add("E-Mail", "Correo (trabajo)", "ann@birch.example")
	f.Add("Postal code", "郵便番号/〒", "100-0001")
	f.Add("Order no.", "Bestellnummer des Kunden", "\xff1")
	f.Fuzz(func(t *testing.T, label, header, cell string) {
		fields := []intray.Field{field("a", label), required(field("b", header, label))}
		columns := []intray.Column{{Index: 0, Header: header, Samples: []string{cell, cell}}, {Index: 1, Header: label}, {Index: 2, Header: cell}}
		m, _, err := mapping.Suggest(t.Context(), fields, columns)
		if err != nil {
			t.Fatal(err)
		}
		a, b := m.Fields[0], m.Fields[1]
		if a.Column != none && a.Column == b.Column {
			t.Errorf("column %d feeds two fields", a.Column)
		}
		for _, match := range m.Fields {
			if match.Column != none && (match.Score < mapping.Accept-0.001 || match.Score > 1 || len(match.Reasons) == 0) {
				t.Errorf("%+v", match)
			}
		}
	})
}
