package engine

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// limitedReader ends the rows of a file where the limit of records does.
type limitedReader struct {
	source.Reader
	limit int64
	// dropped says that the file has more rows.
	dropped bool
}

// Next gives rows within the limit.
func (l *limitedReader) Next(ctx context.Context, recs *intray.Records) error {
	if l.dropped {
		recs.Reset()
		return io.EOF
	}
	err := l.Reader.Next(ctx, recs)
	if err == nil && l.limit > 0 && recs.First+int64(recs.Len()) > l.limit {
		recs.Truncate(int(l.limit - recs.First))
		if l.dropped = true; recs.Len() == 0 {
			return io.EOF
		}
	}
	return err
}

// rowMerger gives the rows of an import: those of the file, without the ones that
// Hooks removed, and between them the ones that hooks added.
type rowMerger struct {
	source.Reader
	columns int
	// added are ordered by their index; those without one are the last.
	added   []intray.AddedRow
	removed map[int64]bool
	// raw holds rows of the file from the place at on that were not handed on.
	raw intray.Records
	at  int
	// rowsDone counts the rows handed on, ended says that the file has no more.
	rowsDone int64
	ended    bool
}

// mergeRows gives the rows of a file as hooks added and removed some. Without such
// it is the reader itself.
func (p *importRun) mergeRows(reader *limitedReader) source.Reader {
	if len(p.added)+len(p.removed) == 0 {
		return reader
	}
	return &rowMerger{Reader: reader, columns: len(p.out.Headers), added: p.addedRows(), removed: p.removed}
}

// Next gives rows of the file, or rows that were added: never both at once. Added
// Rows have no line, and empty cells: take gives what they hold.
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
			f.appendAdded(recs, n)
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

// addedDue is how many added rows come next.
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

// appendAdded makes records for added rows.
func (f *rowMerger) appendAdded(recs *intray.Records, n int) {
	for i := range n {
		for range f.columns {
			recs.AppendCell(nil)
		}
		recs.EndRecord(0)
		recs.Added = append(recs.Added, f.added[i])
	}
	f.added = f.added[n:]
}

// copyRows hands on rows of the file up to the next one that was added.
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

// addRows keeps rows that a hook adds.
func (p *importRun) addRows(rows []intray.AddedRow) {
	if p.addedIDs == nil {
		p.addedIDs = map[string]bool{}
	}
	for _, one := range rows {
		p.addedIDs[one.ID] = true
	}
	p.added = append(p.added, rows...)
}

// addedRows are the rows that hooks added and did not remove, those with an index in
// front.
func (p *importRun) addedRows() []intray.AddedRow {
	rows := slices.DeleteFunc(slices.Clone(p.added), func(a intray.AddedRow) bool { return !p.addedIDs[a.ID] })
	slices.SortStableFunc(rows, func(a, b intray.AddedRow) int {
		if a.Index == nil || b.Index == nil {
			return cmp.Compare(nilLast(a.Index), nilLast(b.Index))
		}
		return cmp.Compare(*a.Index, *b.Index)
	})
	return rows
}

func nilLast(index *int64) int {
	if index == nil {
		return 1
	}
	return 0
}

// removeRows leaves out rows: those of the file by their numbers, those that hooks
// added by the ids that they were told. A number beyond the file is that of no row,
// and nothing is left out.
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
