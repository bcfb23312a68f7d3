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

// TestMissingMarkers checks which cells are read as empty, and the notices about them.
func TestMissingMarkers(t *testing.T) {
	typed := func(key string, name intray.TypeName) intray.Field {
		return intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: name}}
	}
	listing := func(f intray.Field, markers ...string) intray.Field {
		f.MissingValues = append([]string{}, markers...)
		return f
	}
	lenient := typed("member", intray.TypeCheckbox)
	lenient.Lenient = true
	choice := typed("color", intray.TypeSelect)
	choice.SelectOptions = []intray.SelectOption{{Label: "Red", Value: "red"}, {Label: "None", Value: "none"}}
	column := func(header string, cells ...string) string { return header + "\n" + strings.Join(cells, "\n") + "\n" }
	// good returns ten good cells and others.
	good := func(cell string, others ...string) []string {
		return append(slices.Repeat([]string{cell}, 10), others...)
	}
	for name, c := range map[string]struct {
		field intray.Field
		text  string
		// errors is the number of rows with an error, and notices are the texts of the notices.
		errors  int64
		notices string
	}{
		"numbers": {typed("amount", intray.TypeNumber), column("amount", good("12", "NA", "n/a", "NA", "k.A.", "-", "#N/A")...), 0,
			`2 × NA, 1 × #N/A, 1 × -, 1 × k.A., 1 × n/a`},
		"dates":                            {typed("day", intray.TypeDate), column("day", good("2026-01-31", "null", "(blank)", "--", "keine Angabe", "不明")...), 0, "1 × (blank), 1 × --, 1 × keine Angabe, 1 × null, 1 × 不明"},
		"e-mail addresses":                 {typed("mail", intray.TypeEmail), column("mail", good("a@example.org", "none", "-")...), 1, "1 × none"},
		"an option that looks like one":    {choice, column("color", good("Red", "None", "N/A")...), 0, "1 × N/A"},
		"text":                             {typed("note", intray.TypeString), column("note", good("fine", "NA", "-")...), 0, ""},
		"most other cells are not numbers": {typed("amount", intray.TypeNumber), column("amount", "1", "2", "a lot", "few", "NA"), 3, ""},
		"nine of ten are numbers":          {typed("amount", intray.TypeNumber), column("amount", "1", "2", "3", "4", "5", "6", "7", "8", "9", "many", "NA"), 1, "1 × NA"},
		"only markers":                     {typed("amount", intray.TypeNumber), column("amount", "NA", "NA", "NA"), 0, "3 × NA"},
		"listed numbers":                   {listing(typed("amount", intray.TypeNumber), "999", "n.b."), column("amount", "1", "999", "N.B.", "NA", "-"), 2, "1 × 999, 1 × N.B."},
		"listed text":                      {listing(typed("note", intray.TypeString), "?", "(None)"), column("note", "fine", "?", "(none)", "NA"), 0, "1 × (none), 1 × ?"},
		"no markers":                       {listing(typed("amount", intray.TypeNumber)), column("amount", good("1", "NA")...), 1, ""},
		"no markers in a checkbox":         {listing(typed("member", intray.TypeCheckbox)), column("member", "yes", "n/a"), 1, ""},
		"a strict checkbox":                {typed("member", intray.TypeCheckbox), column("member", "yes", "nein", "n/a", "maybe"), 1, ""},
		"a lenient checkbox":               {lenient, column("member", "yes", "nein", "n/a", "maybe"), 0, ""},
		"a country":                        {typed("country", intray.TypeCountry), column("country", good("Germany", "NA", "n/a")...), 0, "1 × n/a"},
	} {
		t.Run(name, func(t *testing.T) {
			schema := &intray.Schema{Fields: []intray.Field{c.field}, Settings: intray.DefaultSettings()}
			in := inputOf("x.csv", c.text)
			out, err := engine.New(engine.Config{Formats: []source.Format{csv.Format{}}}).Run(t.Context(),
				engine.Import{Input: in, Schema: schema, Answers: intray.Answers{intray.AnswerHeaderRow: "1", intray.AnswerColumn + c.field.Key: "0"}}, openSink(&batchSizes{}))
			if err != nil {
				t.Fatal(err)
			}
			var notices []string
			for _, n := range out.Notices {
				if n.Type == intray.ValueMapped {
					notices = append(notices, fmt.Sprintf("%v × %s", n.Text.Params()["n"], *n.Value))
				}
			}
			if diff := cmp.Diff(c.notices, strings.Join(notices, ", ")); diff != "" || out.ErrorRows != c.errors || out.Verdict != engine.Done {
				t.Errorf("%d rows with errors, want %d; verdict %d; notices (-want +got):\n%s", out.ErrorRows, c.errors, out.Verdict, diff)
			}
			decided := slices.Contains(out.ReadMissing, c.field.Key)
			if decided != (c.notices != "" && c.field.MissingValues == nil) {
				t.Errorf("markers are read as empty: %t", decided)
			}
		})
	}
}

// TestRemarks checks the notices with the number of cells of a field that were read in a certain way.
func TestRemarks(t *testing.T) {
	for name, c := range map[string]struct {
		typed   intray.TypeName
		options map[string]any
		cells   string
		want    string
	}{
		"seconds":                 {intray.TypeTime, nil, "15:20:05 15:20:00 9:30 3:20:10", "2 × time.seconds_dropped"},
		"seconds that are kept":   {intray.TypeTime, map[string]any{"withSeconds": true}, "15:20:05 15:20:00", ""},
		"seconds of a datetime":   {intray.TypeDatetime, nil, "2026-01-02T15:20:05 2026-01-02T15:20 2026-01-02", "1 × time.seconds_dropped"},
		"the time of a date":      {intray.TypeDate, nil, "2026-01-02T15:20:05 2026-01-02T00:00:00 2026-01-02", "1 × date.time_dropped"},
		"a date without any time": {intray.TypeDate, nil, "2026-01-02 2026-01-03", ""},
		"fractions of a second":   {intray.TypeDatetime, map[string]any{"withSeconds": true}, "2026-01-02T15:20:05.5 2026-01-02T15:20:05", "1 × time.fractions_dropped"},
		"offsets that differ":     {intray.TypeDatetime, nil, "2026-01-02T15:20+01:00 2026-07-02T15:20+02:00 2026-07-02T15:20Z", "2 × time.offsets_converted"},
		"cells without an offset": {intray.TypeDatetime, nil, "2026-01-02T15:20Z 2026-01-02T15:20 2026-01-02", "1 × time.offsets_missing"},
		"the same offset":         {intray.TypeDatetime, nil, "2026-01-02T15:20+01:00 2026-01-03T15:20+01:00", ""},
		"offsets of times":        {intray.TypeTime, nil, "15:20+01:00 15:20Z", "1 × time.offsets_ignored"},
		"offsets of dates":        {intray.TypeDate, nil, "2026-01-02T00:00+01:00 2026-01-02T00:00Z", "1 × time.offsets_ignored"},
		"a year far away":         {intray.TypeDate, nil, "2569-01-02" + strings.Repeat(" 2026-01-03", 12), "1 × date.years_unlikely"},
		"dates about history":     {intray.TypeDate, nil, "1348-01-02 1066-10-14 1789-07-14", "1 × date.years_unlikely"},
		"exported serial numbers": {intray.TypeDate, nil, "46024 46025.5 2026-01-03", "1 × date.time_dropped, 2 × date.serials_read"},
		"currencies":              {intray.TypeNumber, nil, "10€ 12$ 13€ 14 15¥", "2 × number.currencies_differ"},
		"one currency":            {intray.TypeNumber, nil, "10€ 12€ EUR13 14", ""},
		"the date of a time":      {intray.TypeTime, nil, "2026-01-02T15:20 15:20", "1 × time.date_dropped"},
		"decimals":                {intray.TypeNumber, map[string]any{"preset": "decimal_1"}, "1.25 1.2 1.20 3", "1 × number.rounded"},
		"ZIP codes":               {intray.TypeZIP, nil, "501 12345 12345-6789", "1 × us_zip.zeros_restored, 1 × us_zip.shortened"},
		"rounded codes":           {intray.TypeString, nil, "4.00638E+12 1E+5 1.5E+3 9E+07x 4006381333931", "1 × text.digits_lost"},
		"errors of spreadsheets":  {intray.TypeString, nil, "#REF! ##### #1 #hashtag", "2 × text.errors_kept"},
		"apostrophes":             {intray.TypeString, nil, "'00042 'tis '80s", "2 × text.apostrophes_kept"},
	} {
		field := intray.Field{Key: "at", Label: "at", Type: intray.FieldType{Name: c.typed, Options: c.options}}
		schema := &intray.Schema{Fields: []intray.Field{field}, Settings: intray.DefaultSettings()}
		in := inputOf("x.csv", "at\n"+strings.ReplaceAll(c.cells, " ", "\n")+"\n")
		out, err := engine.New(engine.Config{Formats: []source.Format{csv.Format{}}}).Run(t.Context(),
			engine.Import{Input: in, Schema: schema, Answers: intray.Answers{intray.AnswerHeaderRow: "1"}}, openSink(&batchSizes{}))
		if err != nil || out.ErrorRows > 0 {
			t.Fatalf("%s: %d rows with an error: %v", name, out.ErrorRows, err)
		}
		var notices []string
		for _, n := range out.Notices {
			notices = append(notices, fmt.Sprintf("%v × %s", n.Text.Params()["n"], n.Text.Code))
		}
		if got := strings.Join(notices, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
