package engine

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/textedit"
	"github.com/intraydata/intray/source"
)

// derivedReader adds the columns of a person to the table of a file.
type derivedReader struct {
	source.Reader
	added   []intray.DerivedColumn
	columns []intray.Column
	// raw is a batch of the file. While it is pending, its records from at on are still to be returned. end is
	// the error that follows them.
	raw     intray.Records
	pending bool
	at      int
	end     error
	text    []byte
}

// openTable opens the table that was chosen, with the columns that a person added.
func (p *importRun) openTable(ctx context.Context) (source.Reader, error) {
	reader, err := p.table.open(ctx, p.book)
	answer := p.imp.Answers[intray.AnswerDerived]
	if err != nil || answer == "" {
		return reader, err
	}
	added, ok := intray.ParseDerivedColumns(answer, len(reader.Columns()))
	if !ok || len(added) == 0 { // the table has other columns than the one that the answer is about
		return reader, nil
	}
	p.out.Derived = len(added)
	d := addColumns(reader, added)
	d.sample(ctx)
	return d, nil
}

func addColumns(reader source.Reader, added []intray.DerivedColumn) *derivedReader {
	own := reader.Columns()
	d := &derivedReader{Reader: reader, added: added, columns: slices.Clone(own)}
	for i, c := range added {
		d.columns = append(d.columns, intray.Column{Index: len(own) + i, Header: c.Name})
	}
	return d
}

// maxSamples is the maximum number of samples of a column.
const maxSamples = 20

// sample reads the first batch of the file for the samples of the columns that were added. Next returns the
// batch, and the error that follows it.
func (d *derivedReader) sample(ctx context.Context) {
	d.read(ctx, len(d.columns))
	first := len(d.columns) - len(d.added)
	for row := range d.raw.Len() {
		for n := range d.added {
			c := &d.columns[first+n]
			if len(c.Samples) == maxSamples {
				continue
			}
			if text := appendDerived(d.text[:0], d.added[n], d.cellsOf(row)); len(text) > 0 {
				c.Samples = append(c.Samples, string(text))
			}
		}
	}
}

// read reads a batch of the file.
func (d *derivedReader) read(ctx context.Context, width int) {
	d.raw.Width = width
	d.end = d.Reader.Next(ctx, &d.raw)
	d.pending, d.at = true, 0
}

// cellsOf returns a function that returns the text of the cells of a row of the batch, or nil if the row is
// too short.
func (d *derivedReader) cellsOf(row int) func(column int) []byte {
	return func(column int) []byte {
		if column < d.raw.NumCells(row) {
			return d.raw.Cell(row, column)
		}
		return nil
	}
}

// Columns returns the columns of the file and those that were added.
func (d *derivedReader) Columns() []intray.Column { return d.columns }

// maxAddedText is the maximum length of the added cells of a row, in bytes.
const maxAddedText = 1 << 20

// Next reads records and adds cells to them. Added cells can be much longer than the records of the file,
// so one batch of the file may become several ones.
func (d *derivedReader) Next(ctx context.Context, recs *intray.Records) error {
	recs.Reset()
	if !d.pending {
		if d.end != nil {
			return d.end
		}
		d.read(ctx, recs.Width)
	}
	if d.at == 0 {
		recs.Notices = append(recs.Notices, d.raw.Notices...)
	}
	recs.First = d.raw.First + int64(d.at)
	for ; d.at < d.raw.Len() && !recs.IsFull(); d.at++ {
		if err := d.appendRecord(recs); err != nil {
			return err
		}
	}
	if d.at < d.raw.Len() {
		return nil
	}
	d.pending = false
	return d.end
}

// appendRecord appends the next record of the file with the added cells.
func (d *derivedReader) appendRecord(recs *intray.Records) error {
	cell := d.cellsOf(d.at)
	most := recs.Bytes() + maxAddedText + d.raw.Bytes()
	recs.AppendDerived(&d.raw, d.at, len(d.columns)-len(d.added), len(d.added), func(n int) []byte {
		if recs.Bytes() > most {
			return nil // refused below
		}
		d.text = appendDerived(d.text[:0], d.added[n], cell)
		return d.text
	})
	if recs.Bytes() > most {
		return &source.LimitError{Line: d.raw.Lines[d.at], Reason: intray.NewMessage("cell.too_long", intray.Params{"limit": maxAddedText})}
	}
	return nil
}

// appendDerived appends the text of a cell of an added column to dst. cell returns the text of a cell of the
// same row, or nil if the row is too short.
func appendDerived(dst []byte, c intray.DerivedColumn, cell func(column int) []byte) []byte {
	switch {
	case c.Constant != nil:
		return append(dst, *c.Constant...)
	case c.Join != nil:
		return appendJoined(dst, c.Join, cell)
	case c.Split != nil:
		return append(dst, partOf(string(cell(c.Split.Column)), c.Split)...)
	case c.Change != nil:
		return append(dst, changedText(string(cell(c.Change.Column)), c.Change)...)
	}
	return dst
}

func appendJoined(dst []byte, j *intray.JoinedColumns, cell func(column int) []byte) []byte {
	empty := len(dst)
	for _, column := range j.Columns {
		text := bytes.TrimSpace(cell(column))
		if len(text) == 0 {
			continue
		}
		if len(dst) > empty {
			dst = append(dst, j.With...)
		}
		dst = append(dst, text...)
	}
	return dst
}

func partOf(text string, s *intray.SplitColumn) string {
	for range s.Part {
		var found bool
		if _, text, found = strings.Cut(text, s.At); !found {
			return ""
		}
	}
	if !s.Rest {
		text, _, _ = strings.Cut(text, s.At)
	}
	return strings.TrimSpace(text)
}

// maxGrown is the maximum length of a text that a replacement makes longer, in bytes. A text that would be
// longer is not replaced.
const maxGrown = 1 << 20

func changedText(text string, c *intray.ChangedColumn) string {
	if c.Find != "" {
		grown := len(text) + strings.Count(text, c.Find)*(len(c.With)-len(c.Find))
		if grown <= max(maxGrown, len(text)) {
			text = strings.ReplaceAll(text, c.Find, c.With)
		}
	}
	if c.Trim {
		text = textedit.Trim(text, true)
	}
	if c.Case != "" {
		text = textedit.Casing(c.Case).Apply(text)
	}
	return text
}
