package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// runColumn imports a file with one column for one field.
func runColumn(t *testing.T, f intray.Field, imp engine.Import, cells ...string) *engine.Outcome {
	t.Helper()
	imp.Input = inputOf("x.csv", "\""+f.Label+"\"\n\""+strings.Join(cells, "\"\n\"")+"\"\n")
	imp.Schema = &intray.Schema{Fields: []intray.Field{f}, Settings: intray.DefaultSettings()}
	answers := intray.Answers{intray.AnswerHeaderRow: "1", intray.AnswerColumn + f.Key: "0"}
	for id, answer := range imp.Answers {
		answers[id] = answer
	}
	imp.Answers = answers
	out, err := engine.New(engine.Config{Formats: []source.Format{csv.Format{}}}).Run(t.Context(), imp, openSink(&batchSizes{}))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSentinels checks which numbers and dates are questions.
func TestSentinels(t *testing.T) {
	field := func(label string, name intray.TypeName) intray.Field {
		return intray.Field{Key: "x", Label: label, Type: intray.FieldType{Name: name}}
	}
	unique := field("Age", intray.TypeNumber)
	unique.Validators = []intray.Validator{{Rule: "unique", Level: intray.LevelWarning}}
	listing := field("Age", intray.TypeNumber)
	listing.MissingValues = []string{}
	ages := []string{"31", "18", "95", "44", "52", "67", "23", "71"}
	with := func(cells []string, others ...string) []string { return append(slices.Clone(cells), others...) }
	births := []string{"1980-03-01", "1991-12-24", "2001-06-30", "1975-01-31", "1969-05-05", "1988-08-08"}
	for name, c := range map[string]struct {
		field intray.Field
		cells []string
		// want holds the IDs of the questions.
		want string
	}{
		"nines":                       {field("Age", intray.TypeNumber), with(ages, "999", "999"), "value:x:999"},
		"a negative number":           {field("Age", intray.TypeNumber), with(ages, "-1", "-1", "-1"), "value:x:-1"},
		"two sentinels":               {field("Age", intray.TypeNumber), with(ages, "-9", "999", "-9", "-9", "999"), "value:x:-9 value:x:999"},
		"several spellings":           {field("Depth", intray.TypeNumber), with(ages, "-999.25", "-999.250"), "value:x:-999.25"},
		"a rating":                    {field("Rating", intray.TypeNumber), []string{"1", "2", "5", "4", "3", "99", "99"}, "value:x:99"},
		"one cell":                    {field("Age", intray.TypeNumber), with(ages, "999"), ""},
		"less than one percent":       {field("Age", intray.TypeNumber), with(slices.Repeat(ages, 50), "999", "999", "999"), ""},
		"prices of the same size":     {field("Price", intray.TypeNumber), []string{"499", "799", "999", "999", "1299", "899", "649"}, ""},
		"a number that is not so far": {field("Price", intray.TypeNumber), []string{"5", "500", "120", "80", "260", "999", "999"}, ""},
		"negative numbers":            {field("Change", intray.TypeNumber), []string{"-3", "4", "2", "-1", "-1", "6", "-7"}, ""},
		"few other cells":             {field("Age", intray.TypeNumber), []string{"1", "2", "999", "999"}, ""},
		"a unique field":              {unique, with(ages, "999", "999"), ""},
		"a field with its own list":   {listing, with(ages, "999", "999"), ""},
		"an identifier":               {field("Store no.", intray.TypeNumber), with(ages, "999", "999"), ""},
		"text":                        {field("Age", intray.TypeString), with(ages, "999", "999"), ""},
		"a phone number":              {field("Phone", intray.TypePhone), with(ages, "999", "999"), ""},
		"the last date":               {field("Valid until", intray.TypeDate), with(births, "9999-12-31", "9999-12-31"), "value:x:9999-12-31"},
		"the first date":              {field("Born", intray.TypeDate), with(births, "1900-01-01", "1900-01-01"), "value:x:1900-01-01"},
		"a date with a time":          {field("Born", intray.TypeDatetime), with(births, "1900-01-01 00:00", "1900-01-01"), "value:x:1900-01-01 00:00"},
		"a date among others":         {field("Born", intray.TypeDate), with(births, "1970-01-01", "1970-01-01"), ""},
	} {
		out := runColumn(t, c.field, engine.Import{}, c.cells...)
		var got []string
		for _, q := range out.Questions {
			got = append(got, q.ID)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: questions (-want +got):\n%s", name, diff)
		}
	}
}

// TestAnsweredSentinels checks that answers and learned values decide how a sentinel is read.
func TestAnsweredSentinels(t *testing.T) {
	f := intray.Field{Key: "age", Label: "Age", Type: intray.FieldType{Name: intray.TypeNumber}}
	cells := []string{"31", "18", "95", "44", "52", "67", "999", "999.0", "999"}
	learned := func(value string) engine.Import {
		return engine.Import{Memory: intray.LearnedMappings{Values: []intray.LearnedValue{{Field: "age", Text: "999", Value: value}}}}
	}
	for name, c := range map[string]struct {
		imp  engine.Import
		want string
	}{
		"an empty cell":            {engine.Import{Answers: intray.Answers{"value:age:999": ""}}, "2 × 999, 1 × 999.0"},
		"a value":                  {engine.Import{Answers: intray.Answers{"value:age:999": "999"}}, ""},
		"a learned empty cell":     {learned(""), "2 × 999, 1 × 999.0"},
		"a learned value":          {learned("999"), ""},
		"an answer takes priority": {engine.Import{Answers: intray.Answers{"value:age:999": "999"}, Memory: learned("").Memory}, ""},
	} {
		out := runColumn(t, f, c.imp, cells...)
		if len(out.Questions) > 0 || out.Verdict != engine.Done || out.ErrorRows > 0 {
			t.Errorf("%s: %d questions, verdict %d, %d invalid rows", name, len(out.Questions), out.Verdict, out.ErrorRows)
		}
		var notices []string
		for _, n := range out.Notices {
			notices = append(notices, fmt.Sprintf("%v × %s", n.Text.Params()["n"], *n.Value))
		}
		if diff := cmp.Diff(c.want, strings.Join(notices, ", ")); diff != "" {
			t.Errorf("%s: notices (-want +got):\n%s", name, diff)
		}
	}
}

// TestMappedTexts checks that people can decide how a number field reads text.
func TestMappedTexts(t *testing.T) {
	f := intray.Field{Key: "age", Label: "Age", Type: intray.FieldType{Name: intray.TypeNumber}}
	out := runColumn(t, f, engine.Import{Answers: intray.Answers{"value:age:adult": "18", "value:age:?!": ""}}, "31", "adult", "?!", "child")
	if out.ErrorRows != 1 || len(out.Listed) != 3 {
		t.Errorf("%d invalid rows and %d problems, want 1 and 3", out.ErrorRows, len(out.Listed))
	}
}
