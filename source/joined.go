package source

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// sheetColumn is the header of the column with the names of the sheets. If the sheets have such a
// column, the header is sheetNameColumn.
const sheetColumn, sheetNameColumn = "Sheet", "Sheet name"

// JoinSheets opens several sheets of a book as one table: the records of the first sheet, followed by
// those of the others. The sheets must have the same headers in the same order, apart from letter
// case and surrounding white space. Otherwise, JoinSheets or Next returns an *UnreadableError. If
// named is set, the first column contains the name of the sheet of each record.
//
// The lines of the records count in their own sheets. The columns and the evidence are those of the
// first sheet, except that a tie about the header or the quotes of another sheet takes precedence.
func JoinSheets(ctx context.Context, book Book, sheets []int, named bool) (Reader, error) {
	r := &joinedReader{book: book, sheets: sheets, named: named}
	err := r.openNext(ctx)
	if err != nil {
		return nil, err
	}
	r.columns = r.current.Columns()
	if named {
		r.columns = withSheetColumn(r.columns, book.Sheets()[sheets[0]].Name)
	}
	return r, nil
}

// withSheetColumn returns columns after a column with the names of sheets.
func withSheetColumn(columns []intray.Column, name string) []intray.Column {
	header := sheetColumn
	if slices.ContainsFunc(columns, func(c intray.Column) bool { return sameHeader(c.Header, sheetColumn) }) {
		header = sheetNameColumn
	}
	all := []intray.Column{{Header: header, Samples: []string{name}}}
	for _, c := range columns {
		c.Index++
		all = append(all, c)
	}
	return all
}

func sameHeader(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// SameHeaders reports whether two sheets have the same headers, apart from letter case and
// surrounding white space.
func SameHeaders(a, b []intray.Column) bool {
	return slices.EqualFunc(a, b, func(a, b intray.Column) bool { return sameHeader(a.Header, b.Header) })
}

// joinedReader reads several sheets as one table.
type joinedReader struct {
	book   Book
	sheets []int
	named  bool
	// opened is the number of sheets that have been opened, and current is the last of them. It is
	// nil after the last record.
	opened  int
	current Reader
	columns []intray.Column
	// evidence is the evidence of the first sheet, and tied has the first tie of another sheet about each
	// choice in joinedTies.
	evidence, tied []intray.Evidence
	// first is the number of records of the earlier sheets, and seen that of all sheets so far.
	first, seen int64
	// notices are those that came after the last record of a sheet.
	notices []intray.Notice
	scratch intray.Records
}

// openNext opens the next sheet.
func (r *joinedReader) openNext(ctx context.Context) error {
	sheet := r.sheets[r.opened]
	next, err := r.book.Open(ctx, sheet)
	if err != nil {
		return err
	}
	r.opened++
	own := r.columns
	if r.named && r.opened > 1 {
		own = own[1:]
	}
	if r.opened > 1 && !SameHeaders(own, next.Columns()) {
		reason := intray.NewMessage("sheet.other_columns", intray.Params{"sheet": intray.Shorten(r.book.Sheets()[sheet].Name), "first": intray.Shorten(r.book.Sheets()[r.sheets[0]].Name)})
		return errors.Join(&UnreadableError{Reason: reason}, next.Close())
	}
	r.current, r.first = next, r.seen
	return nil
}

// Columns returns the columns of the first sheet.
func (r *joinedReader) Columns() []intray.Column { return r.columns }

// Evidence returns the evidence of the first sheet.
func (r *joinedReader) Evidence() []intray.Evidence {
	r.keepEvidence()
	list := slices.Clone(r.evidence)
	for _, tied := range r.tied {
		switch i := slices.IndexFunc(list, func(e intray.Evidence) bool { return e.Choice == tied.Choice }); {
		case i < 0:
			list = append(list, tied)
		case !list[i].Tie:
			list[i] = tied
		}
	}
	return list
}

// joinedTies are the choices for which a tie in any sheet is a tie of the table.
var joinedTies = []string{"header row", "quoting of lines"}

// keepEvidence stores the evidence of the current sheet.
func (r *joinedReader) keepEvidence() {
	switch {
	case r.current == nil:
	case r.opened == 1:
		r.evidence = r.current.Evidence()
	default:
		for _, e := range r.current.Evidence() {
			known := slices.ContainsFunc(r.tied, func(t intray.Evidence) bool { return t.Choice == e.Choice })
			if e.Tie && !known && slices.Contains(joinedTies, e.Choice) {
				r.tied = append(r.tied, e)
			}
		}
	}
}

// Next reads the next records. A batch contains records of one sheet.
func (r *joinedReader) Next(ctx context.Context, batch *intray.Records) error {
	for r.current != nil {
		target := batch
		if r.named {
			target = &r.scratch
			target.Width = batch.Width
		}
		err := r.current.Next(ctx, target)
		for i := range target.Notices {
			if row := target.Notices[i].Row; row != nil {
				moved := *row + r.first
				target.Notices[i].Row = &moved
			}
		}
		if errors.Is(err, io.EOF) {
			r.notices = append(r.notices, target.Notices...)
			if err := r.nextSheet(ctx); err != nil {
				batch.Reset()
				return err
			}
			continue
		}
		if r.named {
			r.addNames(batch)
		}
		batch.First += r.first
		batch.Notices = append(batch.Notices, r.notices...)
		r.notices = nil
		r.seen = max(r.seen, batch.First+int64(batch.Len()))
		return err
	}
	batch.Reset()
	batch.Notices, r.notices = append(batch.Notices, r.notices...), nil
	return io.EOF
}

// addNames copies the records that were read to a batch, each after the name of the sheet.
func (r *joinedReader) addNames(batch *intray.Records) {
	batch.Reset()
	name := []byte(r.book.Sheets()[r.sheets[r.opened-1]].Name)
	for i := range r.scratch.Len() {
		batch.AppendCell(name)
		batch.AppendRecord(&r.scratch, i)
	}
	batch.First = r.scratch.First
	batch.Notices = append(batch.Notices, r.scratch.Notices...)
}

// nextSheet closes the current sheet and opens the next one, if any.
func (r *joinedReader) nextSheet(ctx context.Context) error {
	r.keepEvidence()
	done := r.current
	r.current = nil
	if err := done.Close(); err != nil || r.opened == len(r.sheets) {
		return err
	}
	return r.openNext(ctx)
}

// Close closes the sheet that is being read.
func (r *joinedReader) Close() error {
	if r.current == nil {
		return nil
	}
	done := r.current
	r.keepEvidence()
	r.current = nil
	return done.Close()
}
