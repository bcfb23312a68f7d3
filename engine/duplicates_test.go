package engine

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/validate"
)

// TestDuplicatesOfManyFields checks that the outcome lists the same notices as a list of all
// problems would begin with, if each row has a problem in hundreds of fields.
func TestDuplicatesOfManyFields(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const fields, rows = 300, 3000
	plan := &rowplan.Plan{Fields: make([]rowplan.FieldPlan, fields), Keys: make([]string, fields)}
	var found []validate.Duplicates
	out := &Outcome{}
	for row := range int64(rows) { // half of the rows have a problem of another kind
		if row%2 == 0 && len(out.Listed) < MaxNotices {
			out.Listed = append(out.Listed, intray.Notice{Type: intray.Validation, Row: &row})
		}
	}
	want := slices.Clone(out.Listed)
	for f := range fields {
		plan.Fields[f].Headers, plan.Keys[f] = []string{""}, string(rune('a'+f))
		d := validate.Duplicates{Problem: intray.Problem{Field: f}, Rows: roaring.New()}
		for row := range int64(rows) {
			if random.IntN(f+1) == 0 {
				d.Rows.Add(uint32(row))
				want = append(want, intray.Notice{Type: intray.Validation, Field: plan.Keys[f], Row: &row})
			}
		}
		found = append(found, d)
	}
	slices.SortStableFunc(want, func(a, b intray.Notice) int { return cmp.Compare(*a.Row, *b.Row) })
	out.listDuplicates(plan, found, roaring.New())
	if diff := gocmp.Diff(want[:MaxNotices], out.Listed); diff != "" {
		t.Error(diff)
	}
	if c := cap(out.Listed); c > 4*MaxNotices {
		t.Errorf("the list has room for %d notices", c)
	}
}

// TestFillValuesReadsEachRowOnce checks that notices about several cells of a row read it once.
func TestFillValuesReadsEachRowOnce(t *testing.T) {
	var fields []intray.Field
	out := &Outcome{}
	for row := range int64(3) {
		for _, key := range []string{"a", "b", "c"} {
			out.Listed = append(out.Listed, intray.Notice{Row: &row, Field: key})
		}
	}
	for _, key := range []string{"a", "b", "c"} {
		fields = append(fields, intray.Field{Key: key})
	}
	var reads []int64
	err := out.FillValues(t.Context(), fields, func(_ context.Context, first int64, _ int) (*intray.Batch, error) {
		reads = append(reads, first)
		b := &intray.Batch{Lines: []int64{1}, Fields: make([]intray.Cells, 3)}
		for f := range b.Fields {
			b.Fields[f].AppendValue([]byte{byte('a' + f), byte('0' + first)})
		}
		return b, nil
	})
	if err != nil || !slices.Equal(reads, []int64{0, 1, 2}) {
		t.Errorf("the rows %v were read, error %v", reads, err)
	}
	for _, n := range out.Listed {
		if want := n.Field + string(rune('0'+*n.Row)); *n.Value != want {
			t.Errorf("row %d, field %s: %q", *n.Row, n.Field, *n.Value)
		}
	}
}
