package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// lines is a small format with one column. The first line is the header, and each other line is
// a record. The format violates the contract in the way that its fault describes.
type lines struct{ fault fault }

type fault string

const (
	none           fault = ""
	unsure         fault = "Detect returns a score and a reason"
	loses          fault = "records come in order"
	small          fault = "in batches that are not empty"
	huge           fault = "exceeds its limits"
	wrongFirst     fault = "First is not contiguous"
	silent         fault = "no evidence"
	restarts       fault = "the end is not the end"
	once           fault = "opened again"
	anySheet       fault = "a missing sheet"
	ignoresContext fault = "a canceled context"
	reuses         fault = "cells stay valid"
	ignoresClose   fault = "Close"
	untyped        fault = "a truncated file"
	swallowsFail   fault = "a failure of the store"
)

func (lines) Name() string { return "lines" }

func (f lines) Detect(source.Input, []byte) (float64, intray.Message) {
	if f.fault == unsure {
		return 2, intray.Message{}
	}
	return 0.5, intray.Literal("any text")
}

func (f lines) Open(ctx context.Context, in source.Input, _ source.Options) (source.Book, error) {
	if err := ctx.Err(); err != nil && f.fault != ignoresContext {
		return nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size))
	if err == nil && int64(len(text)) < in.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && f.fault != swallowsFail {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if !strings.HasSuffix(string(text), "\n") {
		if f.fault == untyped {
			return nil, errors.New("something is wrong")
		}
		return nil, &source.UnreadableError{Reason: intray.Literal("the last line has no end")}
	}
	return &linesBook{lines: f, rows: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}, nil
}

type linesBook struct {
	lines
	rows  []string
	opens int
}

func (b *linesBook) Evidence() []intray.Evidence {
	return []intray.Evidence{{Choice: "encoding", Value: "UTF-8", Reason: intray.Literal("always")}}
}

func (b *linesBook) Sheets() []source.Sheet { return []source.Sheet{{}} }

func (b *linesBook) Close() error { return nil }

func (b *linesBook) Open(_ context.Context, sheet int) (source.Reader, error) {
	if sheet != 0 && b.fault != anySheet {
		return nil, errors.New("the book has one sheet")
	}
	r := &linesReader{book: b, next: 1}
	if b.fault == once {
		r.next += b.opens
		b.opens++
	}
	return r, nil
}

type linesReader struct {
	book   *linesBook
	next   int
	closed bool
	idle   bool
}

func (r *linesReader) Columns() []intray.Column { return []intray.Column{{Header: r.book.rows[0]}} }

func (r *linesReader) Evidence() []intray.Evidence {
	if r.book.fault == silent {
		return nil
	}
	return r.book.Evidence()
}

func (r *linesReader) Close() error {
	r.closed = r.book.fault != ignoresClose
	return nil
}

func (r *linesReader) Next(ctx context.Context, batch *intray.Records) error {
	if r.book.fault == small && !r.idle {
		r.idle = true
		batch.Reset()
		return nil
	}
	batch.Reset()
	fault := r.book.fault
	if r.closed {
		return fs.ErrClosed
	}
	if err := ctx.Err(); err != nil && fault != ignoresContext {
		return err
	}
	if r.next >= len(r.book.rows) {
		if fault == restarts {
			r.next = 1
		}
		return io.EOF
	}
	if fault != wrongFirst {
		batch.First = int64(r.next - 1)
	}
	r.fill(batch)
	return nil
}

func (r *linesReader) fill(batch *intray.Records) {
	fault := r.book.fault
	for r.next < len(r.book.rows) && (fault == huge || !batch.IsFull()) {
		row := r.book.rows[r.next]
		if fault == loses && r.next == 3 || fault == reuses && r.next == 1 {
			row = "lost"
		}
		batch.AppendCell([]byte(row))
		r.next++
		batch.EndRecord(int64(r.next))
	}
}

func sample(records int) Sample {
	text := strings.Builder{}
	text.WriteString("header\n")
	sheet := Sheet{Headers: []string{"header"}}
	for n := range records {
		fmt.Fprintf(&text, "%d\n", n)
		sheet.Records = append(sheet.Records, []string{fmt.Sprint(n)})
		sheet.Lines = append(sheet.Lines, int64(n+2))
	}
	return Sample{Name: fmt.Sprint(records), Text: []byte(text.String()), Sheets: []Sheet{sheet}}
}

func TestSuiteAcceptsCorrectFormat(t *testing.T) {
	Run(t, lines{}, []Sample{sample(0), sample(3), sample(intray.BatchRows + 2)})
}

// For each fault, a check must report an error on a suitable sample.
func TestSuiteDetectsFaults(t *testing.T) {
	faults := []fault{unsure, loses, small, huge, wrongFirst, silent, restarts, once, anySheet, ignoresContext, reuses, ignoresClose, untyped, swallowsFail}
	samples := []Sample{sample(5), sample(intray.BatchRows + 2)}
	for _, f := range faults {
		t.Run(string(f), func(t *testing.T) {
			found := 0
			for _, s := range samples {
				for _, c := range checks() {
					if f == once && c.guarantee == "readers of one book are independent" {
						continue // this fault is a data race
					}
					if err := c.run(t.Context(), lines{f}, s); err != nil {
						found++
					}
				}
			}
			if found == 0 {
				t.Error("no check detects it")
			}
		})
	}
}

func TestChecksPassWithoutFault(t *testing.T) {
	for _, c := range checks() {
		if err := c.run(t.Context(), lines{none}, sample(5)); err != nil {
			t.Errorf("%s: %v", c.guarantee, err)
		}
	}
}
