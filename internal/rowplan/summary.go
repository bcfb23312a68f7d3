package rowplan

import (
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// MaxNotices is the maximum number of notices in a summary and in an import.
const MaxNotices = 1000

// Summary is the contribution of a batch to the outcome of a run. It holds copies, because
// the batch is reused before the summary is added.
type Summary struct {
	Rows      int64
	Problems  int64
	ErrorRows []int64
	Notices   []intray.Notice
}

// Summarize returns the summary of a batch. The problems of the batch must be in row order.
func (p *Plan) Summarize(b *intray.Batch) Summary {
	a := Summary{Rows: int64(b.Rows()), Problems: int64(len(b.Problems))}
	last := -1
	for _, problem := range b.Problems {
		if problem.Level == intray.LevelError && problem.Row != last {
			last = problem.Row
			a.ErrorRows = append(a.ErrorRows, b.First+int64(problem.Row))
		}
		if len(a.Notices) < MaxNotices {
			a.Notices = append(a.Notices, p.notice(b, problem))
		}
	}
	return a
}

func (p *Plan) notice(b *intray.Batch, problem intray.Problem) intray.Notice {
	row := b.First + int64(problem.Row)
	n := intray.Notice{Type: intray.Validation, Level: problem.Level, Text: problem.Text, Row: &row}
	if problem.Code == celltype.CodeMapped {
		n.Type = intray.ValueMapped
	}
	if problem.Field != intray.NoField {
		p.SetLocation(&n, problem.Field, problem.Part)
		n.Value = RawExcerpt(b.Fields[problem.Field].Raw(problem.Row), n.Part)
	}
	return n
}

// ErrorRowNumbers returns the indexes of the rows with an error, for a bitmap.
func (a Summary) ErrorRowNumbers() []uint32 {
	rows := make([]uint32, len(a.ErrorRows))
	for i, row := range a.ErrorRows {
		rows[i] = uint32(row)
	}
	return rows
}

// maxExcerpt is the maximum size of the raw text in a notice, in bytes. The staged rows
// contain the complete text.
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
