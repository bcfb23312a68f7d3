package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// fieldValues collects the values of the first field.
type fieldValues struct{ list []string }

func (v *fieldValues) StageBatch(b *intray.Batch) (func() error, error) {
	for row := range b.Rows() {
		value, _ := b.Fields[0].Value(row)
		v.list = append(v.list, string(value))
	}
	return func() error { return nil }, nil
}

// TestPastDates checks that two-digit years of births are not in the future, and that those of other
// dates are not affected.
func TestPastDates(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		key, label, header string
		now                time.Time
		want               string
	}{
		"births by label":   {"day", "Date of birth", "Date of birth", now, "2026-02-28 1927-03-29 1945-04-30 1962-05-31"},
		"births by key":     {"dob", "Day", "Day", now, "2026-02-28 1927-03-29 1945-04-30 1962-05-31"},
		"births by header":  {"day", "Day", "Geburtsdatum", now, "2026-02-28 1927-03-29 1945-04-30 1962-05-31"},
		"other dates":       {"due", "Due date", "Due date", now, "2026-02-28 2027-03-29 2045-04-30 1962-05-31"},
		"without the time":  {"dob", "Date of birth", "Date of birth", time.Time{}, "2026-02-28 2027-03-29 2045-04-30 1962-05-31"},
		"a place of birth":  {"date", "Birth place date", "Birth place date", now, "2026-02-28 2027-03-29 2045-04-30 1962-05-31"},
		"deaths by a label": {"died", "Date of death", "Date of death", now, "2026-02-28 1927-03-29 1945-04-30 1962-05-31"},
	} {
		t.Run(name, func(t *testing.T) {
			field := intray.Field{Key: c.key, Label: c.label, Type: intray.FieldType{Name: intray.TypeDate}}
			schema := &intray.Schema{Fields: []intray.Field{field}, Settings: intray.DefaultSettings()}
			in := inputOf("x.csv", c.header+"\n28.02.26\n29.03.27\n30.04.45\n31.05.62\n")
			values := &fieldValues{}
			out, err := engine.New(engine.Config{Formats: []source.Format{csv.Format{}}}).Run(t.Context(), engine.Import{
				Input: in, Schema: schema, HookEnv: intray.HookEnv{Now: c.now},
				Answers: intray.Answers{intray.AnswerHeaderRow: "1", intray.AnswerColumn + c.key: "0"},
			}, openSink(values))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, strings.Join(values.list, " ")); diff != "" {
				t.Errorf("%v, questions %v, notices %v", diff, out.Questions, out.Notices)
			}
		})
	}
}

// TestYears checks that numbers that are years of another calendar are reported in fields for years.
func TestYears(t *testing.T) {
	for label, want := range map[string]int{"Year": 1, "Amount": 0} {
		field := intray.Field{Key: "n", Label: label, Type: intray.FieldType{Name: intray.TypeNumber}}
		schema := &intray.Schema{Fields: []intray.Field{field}, Settings: intray.DefaultSettings()}
		out := importInto(t, engine.Config{}, label+"\n2567\n2566\n2024\n", schema, &fieldValues{})
		notices := 0
		for _, n := range out.Notices {
			if n.Text.Code == "date.years_unlikely" && fmt.Sprint(n.Text.Params()["n"]) == "2" {
				notices++
			}
		}
		if notices != want {
			t.Errorf("%s: notices %v", label, out.Notices)
		}
	}
}
