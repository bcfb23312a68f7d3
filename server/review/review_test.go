package review

import (
	"errors"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
)

// TestWriteFinalRowsFails checks that the error is returned if any call to the store fails.
func TestWriteFinalRowsFails(t *testing.T) {
	schema := &intray.Schema{Fields: []intray.Field{{Key: "a"}}}
	write := func(store *blobtest.FaultyStore) (rows int, err error) {
		store.Store, store.Room = blobtest.NewMemory(), -1
		s := &Service{env: &model.Env{Blobs: store}}
		batches := func(yield func(*intray.Batch, error) bool) {
			for line := int64(1); line <= 2; line++ {
				b := &intray.Batch{Lines: []int64{line}, Fields: make([]intray.Cells, 1)}
				b.Fields[0].AppendValue([]byte("x"))
				if !yield(b, nil) {
					return
				}
			}
		}
		err = s.writeFinalRows(t.Context(), "p", batches, schema, func(b *intray.Batch) { rows += b.Rows() })
		return rows, err
	}
	all := &blobtest.FaultyStore{FailAt: -1}
	if rows, err := write(all); err != nil || rows != 2 || all.Calls() < 3 {
		t.Fatalf("%d rows in %d calls, %v", rows, all.Calls(), err)
	}
	for n := range all.Calls() {
		if _, err := write(&blobtest.FaultyStore{FailAt: n}); !errors.Is(err, blobtest.ErrFault) {
			t.Errorf("call %d fails: %v", n, err)
		}
	}
}

func TestSubmissionOf(t *testing.T) {
	for _, c := range []struct {
		rows, errors int64
		behavior     intray.InvalidDataBehavior
		want         Submission
	}{
		{5, 0, intray.BlockSubmit, Submission{Rows: 5}},
		{5, 1, intray.BlockSubmit, Submission{Rows: 5, WithError: 1, Blocked: true}},
		{5, 0, intray.RemoveInvalidRows, Submission{Rows: 5}},
		{5, 2, intray.RemoveInvalidRows, Submission{Rows: 3, Dropped: 2}},
		{5, 5, intray.RemoveInvalidRows, Submission{Dropped: 5}},
		{5, 2, intray.IncludeInvalidValues, Submission{Rows: 5, WithError: 2}},
		{0, 0, intray.BlockSubmit, Submission{}},
	} {
		if got := submissionOf(draft.Totals{Rows: c.rows, Errors: c.errors}, c.behavior); got != c.want {
			t.Errorf("%d rows, %d with errors, %v: got %+v, want %+v", c.rows, c.errors, c.behavior, got, c.want)
		}
	}
}
