package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// ReadAll opens a file and reads all its sheets. It fails where the contract
// of source.Reader is broken on the way.
func ReadAll(ctx context.Context, format source.Format, in source.Input, opt source.Options) (sheets []Sheet, err error) {
	book, err := format.Open(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	if len(book.Sheets()) == 0 || len(book.Evidence()) == 0 {
		return nil, errors.New("the book has no sheets or no evidence")
	}
	for i := range book.Sheets() {
		sheet, err := readSheet(ctx, book, i)
		if err != nil {
			return nil, err
		}
		sheets = append(sheets, sheet)
	}
	return sheets, nil
}

// readSheet reads one sheet of a book to its end.
func readSheet(ctx context.Context, book source.Book, i int) (sheet Sheet, err error) {
	reader, err := book.Open(ctx, i)
	if err != nil {
		return Sheet{}, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	sheet = Sheet{Name: book.Sheets()[i].Name}
	if err := sheet.begin(reader); err != nil {
		return Sheet{}, err
	}
	batch := dirtyBatch()
	for {
		err := reader.Next(ctx, batch)
		if errors.Is(err, io.EOF) {
			return sheet, ended(ctx, reader, batch)
		}
		if err != nil {
			return Sheet{}, err
		}
		if batch.Len() == 0 {
			return Sheet{}, errors.New("a batch is empty, and not the end")
		}
		if err := sheet.take(batch); err != nil {
			return Sheet{}, err
		}
	}
}

// begin takes the columns.
func (s *Sheet) begin(reader source.Reader) error {
	if len(reader.Evidence()) == 0 {
		return errors.New("the sheet has no evidence")
	}
	for i, c := range reader.Columns() {
		if c.Index != i {
			return fmt.Errorf("column %d has index %d", i, c.Index)
		}
		if len(c.Samples) > 20 || slices.Contains(c.Samples, "") {
			return fmt.Errorf("column %d has samples %q", i, c.Samples)
		}
		s.Headers = append(s.Headers, c.Header)
	}
	return nil
}

// take adds the records of a batch.
func (s *Sheet) take(batch *intray.Records) error {
	if batch.First != int64(len(s.Records)) {
		return fmt.Errorf("a batch begins with record %d behind %d records", batch.First, len(s.Records))
	}
	if err := checkSize(batch); err != nil {
		return err
	}
	for i := range batch.Len() {
		cells := make([]string, batch.NumCells(i))
		for c := range cells {
			cells[c] = string(batch.Cell(i, c))
		}
		s.Records = append(s.Records, cells)
		if batch.Lines[i] < 1 {
			return fmt.Errorf("record %d begins at line %d", len(s.Records)-1, batch.Lines[i])
		}
	}
	s.Lines = append(s.Lines, batch.Lines...)
	return nil
}

// checkSize says whether a batch should have ended before its last record.
func checkSize(batch *intray.Records) error {
	last := batch.Len() - 1
	if last < 0 || len(batch.Lines) != batch.Len() {
		return fmt.Errorf("a batch has %d records and %d lines", batch.Len(), len(batch.Lines))
	}
	bytes := batch.Bytes()
	for c := range batch.NumCells(last) {
		bytes -= len(batch.Cell(last, c))
	}
	cells := countCells(batch) - batch.NumCells(last)
	if last >= intray.BatchRows || bytes >= intray.BatchBytes || cells >= intray.BatchCells {
		return fmt.Errorf("a batch of %d records went on behind its limits", batch.Len())
	}
	return nil
}

func countCells(batch *intray.Records) int {
	cells := 0
	for i := range batch.Len() {
		cells += batch.NumCells(i)
	}
	return cells
}

// ended makes sure that the end stays the end.
func ended(ctx context.Context, reader source.Reader, batch *intray.Records) error {
	if batch.Len() != 0 {
		return errors.New("there are records in the batch at the end")
	}
	batch.AppendCell([]byte("left over"))
	batch.EndRecord(7)
	if err := reader.Next(ctx, batch); !errors.Is(err, io.EOF) || batch.Len() != 0 {
		return fmt.Errorf("behind the end there are %d records and error %w", batch.Len(), err)
	}
	return nil
}

// dirtyBatch holds something that Next must empty.
func dirtyBatch() *intray.Records {
	batch := &intray.Records{First: 99}
	batch.AppendCell([]byte("left over"))
	batch.EndRecord(7)
	return batch
}
