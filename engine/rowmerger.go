package engine

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// limitedReader reads at most the maximum number of records from a file.
type limitedReader struct {
	source.Reader
	limit int64
	// progress is called after each read.
	progress func()
	// dropped is set once rows beyond the limit have been dropped.
	dropped bool
}

// Next reads rows up to the limit.
func (l *limitedReader) Next(ctx context.Context, recs *intray.Records) error {
	if l.dropped {
		recs.Reset()
		return io.EOF
	}
	err := l.Reader.Next(ctx, recs)
	l.progress()
	if err == nil && l.limit > 0 && recs.First+int64(recs.Len()) > l.limit {
		recs.Truncate(int(l.limit - recs.First))
		if l.dropped = true; recs.Len() == 0 {
			return io.EOF
		}
	}
	return err
}

// rowMerger reads the rows of a file, skips those that hooks removed and inserts those that
// hooks added.
type rowMerger struct {
	source.Reader
	columns int
	// added holds the rows that hooks added, ordered by index. Rows without an index are last.
	added   []intray.AddedRow
	removed map[int64]bool
	// raw holds rows of the file. The rows whose index is less than at have already been
	// returned.
	raw intray.Records
	at  int
	// rowsDone is the number of rows returned so far. ended is set at the end of the file.
	rowsDone int64
	ended    bool
}

// mergeRows returns a reader that adds and removes rows as hooks requested. It
// returns the given reader if they requested nothing.
func (p *importRun) mergeRows(reader *limitedReader) source.Reader {
	if len(p.added)+len(p.removed) == 0 {
		return reader
	}
	return &rowMerger{Reader: reader, columns: len(p.out.Headers), added: p.addedRows(), removed: p.removed}
}

// Next reads either rows of the file or added rows, never both in one call. Added rows have
// line 0 and empty cells. [rowplan.Plan.FillAdded] fills them.
func (f *rowMerger) Next(ctx context.Context, recs *intray.Records) error {
	recs.Reset()
	for recs.Len() == 0 {
		if f.at == f.raw.Len() && !f.ended {
			err := f.Reader.Next(ctx, &f.raw)
			recs.Notices, f.at = append(recs.Notices, f.raw.Notices...), 0
			if f.ended = errors.Is(err, io.EOF); err != nil && !f.ended {
				return err
			}
		}
		if n := f.addedDue(); n > 0 {
			for i := range n {
				for range f.columns {
					recs.AppendCell(nil)
				}
				recs.EndRecord(0)
				recs.Added = append(recs.Added, f.added[i])
			}
			f.added = f.added[n:]
			break
		}
		if f.ended {
			return io.EOF
		}
		f.copyRows(recs)
	}
	recs.First = f.rowsDone
	f.rowsDone += int64(recs.Len())
	return nil
}

// addedDue returns the number of added rows that come next.
func (f *rowMerger) addedDue() (n int) {
	if f.ended {
		return min(len(f.added), intray.BatchRows)
	}
	next := f.raw.First + int64(f.at)
	for n < len(f.added) && f.added[n].Index != nil && *f.added[n].Index <= next {
		n++
	}
	return n
}

// copyRows copies rows of the file up to the next added row.
func (f *rowMerger) copyRows(recs *intray.Records) {
	for ; f.at < f.raw.Len(); f.at++ {
		row := f.raw.First + int64(f.at)
		if len(f.added) > 0 && f.added[0].Index != nil && *f.added[0].Index <= row {
			return
		}
		if !f.removed[row] {
			recs.AppendRecord(&f.raw, f.at)
		}
	}
}

// addedRows returns the rows that hooks added and did not remove, ordered by index.
// Rows without an index are last.
func (p *importRun) addedRows() []intray.AddedRow {
	rows := slices.DeleteFunc(slices.Clone(p.added), func(a intray.AddedRow) bool { return !p.addedIDs[a.ID] })
	index := func(a intray.AddedRow) int64 {
		if a.Index == nil {
			return math.MaxInt64
		}
		return *a.Index
	}
	slices.SortStableFunc(rows, func(a, b intray.AddedRow) int {
		return cmp.Compare(index(a), index(b))
	})
	return rows
}

// removeRows removes added rows by ID and rows of the file by index. It ignores indexes
// beyond the end of the file.
func (p *importRun) removeRows(ids []string) (refused intray.Message) {
	for _, id := range ids {
		if _, added := p.addedIDs[id]; added {
			p.addedIDs[id] = false
			continue
		}
		row, err := strconv.ParseInt(id, 10, 64)
		if err != nil || row < 0 {
			return methodFailed("removeRows", intray.NewMessage("hook.unknown_row", intray.Params{"id": clipID(id)}))
		}
		if p.removed == nil {
			p.removed = map[int64]bool{}
		}
		p.removed[row] = true
	}
	return intray.Message{}
}

func clipID(id string) string {
	const most = 40
	if runes := []rune(id); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return id
}
