package rowplan

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// TestApplyLearnedValues checks that an answer wins over a learned value for the same raw text,
// that the latest learned value wins, and that answers and learned values apply only to their
// own field.
func TestApplyLearnedValues(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2025, 3, n, 0, 0, 0, 0, time.UTC) }
	learned := []intray.LearnedValue{
		{Field: "color", Text: "crimson", Value: "g", On: day(2)},
		{Field: "color", Text: " crimson ", Value: "r", On: day(3)},
		{Field: "color", Text: "crimson", Value: "g", On: day(1)},
		{Field: "color", Text: "nothing", Value: "", On: day(1)},
		{Field: "color", Text: "old", Value: "removed", On: day(1)},
		{Field: "color", Text: "both", Value: "r", On: day(1)},
		{Field: "color", Text: "", Value: "r", On: day(1)},
		{Field: "amount", Text: "dozen", Value: "12", On: day(1)},
		{Field: "other", Text: "Other", Value: "r", On: day(1)},
	}
	answers := intray.Answers{"value:color:both": "g", "value:color:answered": "r", "value:color:blank": "", "value:colors:Other": "r", "value:amount:dozen": "12"}
	p, err := Compile(listSchema(), listMapping, []string{"A", "C", "E1", "E2"})
	if err != nil {
		t.Fatal(err)
	}
	p.ApplyLearnedValues(answers, learned)
	texts := []string{"crimson", " crimson", "nothing", "old", "both", "answered", "blank", "", "Other", "Red"}
	var recs intray.Records
	for _, text := range texts {
		appendRecord(&recs, []string{"dozen", text, "", ""}, 1)
	}
	var b intray.Batch
	p.Parse(&recs, &b, nil)
	var got []string
	for row := range texts {
		got = append(got, formatCell(&b, row, 1))
	}
	want := []string{
		`r "crimson" info value_mapped`, `r " crimson" info value_mapped`, `null "nothing" info value_mapped`, `null "old" error select`, `g "both" info value_mapped`,
		`r "answered" info value_mapped`, `null "blank" info value_mapped`, `null ""`, `null "Other" error select`, `r "Red"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if got := formatCell(&b, 0, 0); got != `12 "dozen" info value_mapped` {
		t.Errorf("a number that a person mapped: %s", got)
	}
	notes := map[int]string{}
	for _, q := range b.Problems {
		if q.Field == 1 && q.Level == intray.LevelInfo {
			notes[q.Row] = fmt.Sprintf("%s %v", q.Text.Code, q.Text.Params())
		}
	}
	wantNotes := map[int]string{
		0: "value_mapping.remembered map[date:2025-03-03 value:r]", 1: "value_mapping.remembered map[date:2025-03-03 value:r]",
		2: "value_mapping.remembered_empty map[date:2025-03-01]", 4: "value_mapping.answered map[value:g]",
		5: "value_mapping.answered map[value:r]", 6: "value_mapping.answered_empty map[]",
	}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}
