package mapping_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
)

// many returns the field with ManyToOne set.
func many(f intray.Field) intray.Field {
	f.ManyToOne = true
	return f
}

// TestManyColumns checks the columns that map to the first field, which is many-to-one, and
// the single column of each other field.
func TestManyColumns(t *testing.T) {
	tags, city := many(field("tags", "Tags", "Labels")), field("city", "City")
	prices := many(field("k", "Price"))
	phones, mobile := many(field("phone", "Phone")), field("mobile", "Mobile")
	for what, c := range map[string]struct {
		fields  []intray.Field
		headers []string
		want    []int
		rest    []int
		reason  string
	}{
		"one column":             {[]intray.Field{tags, city}, []string{"City", "Tags"}, []int{1}, []int{0}, `the header matches the field's label "Tags"`},
		"one name":               {[]intray.Field{tags, city}, []string{"Labels", "City", "Labels"}, []int{0, 2}, []int{1}, `2 columns map to this field: "Labels" (column 1), "Labels" (column 3)`},
		"by meaning":             {[]intray.Field{tags, city}, []string{"Keyword 2", "City", "Keyword 1"}, []int{0, 2}, []int{1}, "means tags"},
		"key and label":          {[]intray.Field{tags}, []string{"x", "tags", "Tags"}, []int{1, 2}, nil, "the field's key"},
		"names and alternates":   {[]intray.Field{tags}, []string{"Labels", "x", "TAGS", "Tags"}, []int{0, 2, 3}, nil, "\"TAGS\" matches the field's key"},
		"a series":               {[]intray.Field{phones, mobile}, []string{"Phone 1", "Phone 2", "Phone 3", "Mobile"}, []int{0, 1, 2}, []int{3}, "one of several"},
		"a series in brackets":   {[]intray.Field{many(field("e", "E-Mail"))}, []string{"E-Mail", "x", "E-Mail (2)", "e_mail_3"}, []int{0, 2, 3}, nil, "column 3"},
		"a series of one":        {[]intray.Field{phones}, []string{"Phone 1"}, []int{0}, nil, "one of several"},
		"unknown words":          {[]intray.Field{many(field("w", "Widgets"))}, []string{"Widget #1", "Widget #2", "2. Widget"}, []int{0, 1, 2}, nil, "one of several"},
		"more than eight":        {[]intray.Field{tags}, strings.Split(strings.Repeat("Keyword ", 12), " ")[:12], []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, nil, "and 7 more"},
		"what means the same":    {[]intray.Field{many(field("k", "Town"))}, []string{"Town", "Ort", "Stadt"}, []int{0, 1, 2}, nil, "means city"},
		"not what is only near":  {[]intray.Field{prices}, []string{"Price", "Net price"}, []int{0}, nil, `"Net price" (column 2`},
		"what is near, if alone": {[]intray.Field{prices}, []string{"Net price", "Nettopreis"}, []int{0, 1}, nil, "means net price"},
		"a separate field":       {[]intray.Field{phones, field("second", "Phone 2")}, []string{"Phone 1", "Phone 2", "Phone 3"}, []int{0, 2}, []int{1}, "one of several"},
		"figures of a name":      {[]intray.Field{many(field("line2", "Line 2"))}, []string{"Line 2", "Line 3"}, []int{0}, nil, ""},
		"hidden":                 {[]intray.Field{{Key: "t", Label: "Tags", ManyToOne: true, Hidden: true}, city}, []string{"Tags", "Tags", "City"}, nil, []int{2}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			m, questions := suggest(t, c.fields, c.headers...)
			if len(questions) > 0 {
				t.Fatalf("%+v", questions)
			}
			got := m.Fields[0]
			if diff := cmp.Diff(c.want, got.Columns); diff != "" || len(c.want) > 0 && (got.Column != c.want[0] || got.Header != c.headers[c.want[0]]) {
				t.Errorf("%+v (-want +got):\n%s", got, diff)
			}
			if diff := cmp.Diff(c.rest, assigned(m)[1:]); len(c.fields) > 1 && diff != "" {
				t.Errorf("other fields (-want +got):\n%s", diff)
			}
			if reasons := strings.Join(intray.RenderAll(got.Reasons), "\n"); !strings.Contains(reasons, c.reason) {
				t.Errorf("no %q in %s", c.reason, reasons)
			}
		})
	}
}

func TestManyScoreIsTheLeast(t *testing.T) {
	m, _ := suggest(t, []intray.Field{many(field("phone", "Phone"))}, "phone", "Phone 2", "PHONE")
	if got := m.Fields[0]; got.Score != 0.94 || len(got.Columns) != 3 || len(got.Reasons) != 4 {
		t.Errorf("%+v", got)
	}
}

// TestManyContests checks which fields compete for a column that matches both a many-to-one
// field and a second field.
func TestManyContests(t *testing.T) {
	tags := many(field("tags", "Tags"))
	for what, c := range map[string]struct {
		fields    []intray.Field
		headers   []string
		competing [][]string
		columns   []int
	}{
		"one column, by name":         {[]intray.Field{tags, field("t", "Tags")}, []string{"Tags"}, [][]string{{"tags", "t"}}, nil},
		"both take several":           {[]intray.Field{tags, many(field("t", "Tags"))}, []string{"Tags", "x", "Tags"}, [][]string{{"tags", "t"}, {"tags", "t"}}, nil},
		"the others are its own":      {[]intray.Field{tags, field("t", "Labels", "Tags")}, []string{"tags", "Labels", "Tags"}, nil, []int{0, 2}},
		"one column, by meaning":      {[]intray.Field{many(field("a", "Town")), field("b", "City")}, []string{"Ort"}, [][]string{{"a", "b"}}, nil},
		"by meaning, with its own":    {[]intray.Field{many(field("a", "Town")), field("b", "Municipality of residence", "City")}, []string{"Town", "Ort"}, [][]string{{"a", "b"}}, []int{0}},
		"both take several, by words": {[]intray.Field{many(field("a", "Town")), many(field("b", "City"))}, []string{"Ort", "Ort"}, [][]string{{"a", "b"}, {"a", "b"}}, nil},
	} {
		t.Run(what, func(t *testing.T) {
			m, questions := suggest(t, c.fields, c.headers...)
			var got [][]string
			for _, q := range questions {
				got = append(got, q.CompetingFields)
			}
			if diff := cmp.Diff(c.competing, got); diff != "" {
				t.Errorf("%+v, fields that want the column (-want +got):\n%s", questions, diff)
			}
			if diff := cmp.Diff(c.columns, m.Fields[0].Columns); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", m.Fields[0], diff)
			}
		})
	}
}

func TestManyRemembered(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, time.November, n, 0, 0, 0, 0, time.UTC) }
	past := []intray.LearnedColumn{
		{Field: "mail", Header: "Feld 7", On: day(3)}, {Field: "mail", Header: "Feld 3", On: day(1)},
		{Field: "mail", Header: "Feld 9", On: day(2)}, {Field: "city", Header: "Feld 9", On: day(4)},
	}
	fields := []intray.Field{many(typed("mail", "E-mail", intray.TypeEmail)), field("city", "City")}
	file := indexed(column("Feld 3"), column("E-mail"), column("Feld 7"), column("Feld 9"), column("Feld 7"), column("Feld 3", "2026-01-02", "2026-01-03"))
	m, questions, err := mapping.Config{Learned: past}.Suggest(t.Context(), fields, file)
	if err != nil || len(questions) > 0 {
		t.Fatalf("%v, %+v", err, questions)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 4}, m.Fields[0].Columns); diff != "" || m.Fields[1].Column != 3 {
		t.Errorf("%+v (-want +got):\n%s", m.Fields, diff)
	}
	if reasons := strings.Join(intray.RenderAll(m.Fields[0].Reasons), "\n"); !strings.Contains(reasons, `column 3: you chose the column "Feld 7" on 2026-11-03`) {
		t.Error(reasons)
	}
}

// TestManyAreSound checks that each column maps to one field or is reported as unmapped, and
// that a column that fits a many-to-one field is mapped or in question.
func TestManyAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields, headers := draw(t)
		for i := range fields {
			fields[i].ManyToOne = rapid.Bool().Draw(t, "many")
		}
		m, questions := suggest(t, fields, headers...)
		fed := map[int]bool{}
		for i, match := range m.Fields {
			columns := match.Columns
			if len(columns) == 0 && match.Column != none {
				columns = []int{match.Column}
			}
			if fields[i].ManyToOne != (len(match.Columns) > 0) && match.Column != none || len(columns) > 0 && columns[0] != match.Column || !slices.IsSorted(columns) {
				t.Fatalf("%+v of %+v", match, fields[i])
			}
			for _, c := range columns {
				if fed[c] {
					t.Fatalf("column %d feeds two fields: %+v", c, m.Fields)
				}
				fed[c] = true
			}
		}
		for c := range headers {
			if fed[c] == slices.Contains(m.Unmapped, c) {
				t.Fatalf("column %d: %+v", c, m)
			}
			closest := slices.ContainsFunc(fields, func(f intray.Field) bool { return f.ManyToOne && fits(f, headers[c]) < 4 })
			if closest && !fed[c] && !inAny(questions, c) && !asksMore(questions) {
				t.Fatalf("column %d, %q, fits a field and is lost: %+v %+v", c, headers[c], m, questions)
			}
		}
	})
}

func inAny(questions []mapping.Question, column int) bool {
	return slices.ContainsFunc(questions, func(q mapping.Question) bool {
		return slices.ContainsFunc(q.Columns, func(c intray.Column) bool { return c.Index == column })
	})
}

// asksMore reports whether a question may list only some of its columns.
func asksMore(questions []mapping.Question) bool {
	return slices.ContainsFunc(questions, func(q mapping.Question) bool { return len(q.Columns) >= 5 })
}

// TestManyIsLinear checks the work of Suggest for a file with very many columns that match one
// many-to-one field or many of them.
func TestManyIsLinear(t *testing.T) {
	for what, header := range map[string]func(int) string{
		"one meaning": func(int) string { return "Keyword" }, "a series": func(i int) string { return fmt.Sprintf("Tag %d", i) },
	} {
		for _, n := range []int{1, 50} {
			t.Run(fmt.Sprintf("%s, %d fields", what, n), func(t *testing.T) {
				requireLinearWork(t, func(scale int) []intray.Field {
					fields := make([]intray.Field, n)
					if n > 1 {
						fields = make([]intray.Field, n*scale)
					}
					for i := range fields {
						fields[i] = many(field(fmt.Sprintf("k%d", i), "Tags"))
					}
					return fields
				}, header, func(m intray.Mapping, questions []mapping.Question, columns int) {
					if n == 1 && len(m.Fields[0].Columns) != columns || n > 1 && len(questions) == 0 {
						t.Errorf("%d columns, %d questions", len(m.Fields[0].Columns), len(questions))
					}
				})
			})
		}
	}
}
