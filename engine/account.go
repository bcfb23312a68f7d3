package engine

import (
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/value"
)

// account is what a batch adds to the outcome. It holds copies: the batch is
// used again before the account is added.
type account struct {
	rows      int64
	problems  int64
	errorRows []int64
	notices   []intray.Notice
}

// account sums up a batch whose problems are in the order of the rows.
func (p *plan) account(b *intray.Batch) account {
	a := account{rows: int64(b.Rows()), problems: int64(len(b.Problems))}
	last := -1
	for _, problem := range b.Problems {
		if problem.Level == intray.LevelError && problem.Row != last {
			last = problem.Row
			a.errorRows = append(a.errorRows, b.First+int64(problem.Row))
		}
		if len(a.notices) < MaxNotices {
			a.notices = append(a.notices, p.notice(b, problem))
		}
	}
	return a
}

func (p *plan) notice(b *intray.Batch, problem intray.Problem) intray.Notice {
	row := b.First + int64(problem.Row)
	n := intray.Notice{Type: intray.Validation, Level: problem.Level, Text: problem.Text, Row: &row}
	if problem.Code == value.Mapped {
		n.Type = intray.ValueMapped
	}
	if problem.Field != intray.NoField {
		p.place(&n, problem.Field, problem.Part)
		n.Value = rawOf(b.Fields[problem.Field].Raw(problem.Row), n.Part)
	}
	return n
}

// addTo adds the account of the next batch, in the order of the rows.
func (a account) addTo(out *Outcome) {
	out.DataRows += a.rows
	out.ErrorRows += int64(len(a.errorRows))
	out.Problems += a.problems
	out.RowsWithError = appendUpTo(out.RowsWithError, a.errorRows, MaxRowsWithError)
	out.Listed = appendUpTo(out.Listed, a.notices, MaxNotices)
}

// rowNumbers are the rows with an error, for a bitmap.
func (a account) rowNumbers() []uint32 {
	rows := make([]uint32, len(a.errorRows))
	for i, row := range a.errorRows {
		rows[i] = uint32(row)
	}
	return rows
}

func appendUpTo[T any](list, more []T, limit int) []T {
	return append(list, more[:min(len(more), limit-len(list))]...)
}

// maxExcerpt bounds the raw text of a notice, in bytes. The whole text is in
// the staged rows.
const maxExcerpt = 4096

func excerpt(raw []byte) string {
	if len(raw) <= maxExcerpt {
		return string(raw)
	}
	end := maxExcerpt
	for end > 0 && !utf8.RuneStart(raw[end]) {
		end--
	}
	return string(raw[:end]) + "…"
}
