package review

import (
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/draft"
)

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
