// Package csv reads delimited text as strangers write it.
//
// The nouns: a dialect says what separates and quotes cells; a sheet is what was
// decided about a file (its dialect, its header, what its columns hold) before
// its records are read; a reading is one way to cut a row that does not fit. The
// package decides by looking at the file, tells why, and leaves cells as they
// are: a row that is broken is mended only where one reading clearly fits better
// than all others, and that is told.
//
// It does not know what a schema wants, and does not change the text of a cell.
package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Format is the format "csv". The zero value is ready.
type Format struct{}

// Name is "csv".
func (Format) Name() string { return "csv" }

// Detect takes any text, and is the surer the more it looks like a table.
func (Format) Detect(in source.Input, head []byte) (score float64, reason string) {
	if bytes.IndexByte(head, 0) >= 0 {
		return 0, "there are NUL bytes"
	}
	name := strings.ToLower(in.Name)
	for _, ending := range []string{".csv", ".tsv", ".txt", ".tab", ".psv"} {
		if strings.HasSuffix(name, ending) {
			return 0.9, "text, and the name ends in " + ending
		}
	}
	return 0.1, "text"
}

// byteOrderMark is how some programs begin a UTF-8 file.
const byteOrderMark = "\uFEFF"

// Open looks at the beginning of the file. A file of nothing but white space is
// source.ErrEmpty.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	opt.Limits = opt.Limits.WithDefaults()
	sample := make([]byte, min(in.Size, sampleBytes))
	if n, err := in.ReadAt(sample, 0); err != nil && !errors.Is(err, io.EOF) || n < len(sample) {
		return nil, fmt.Errorf("read the beginning of the file: %w", err)
	}
	start := 0
	for bytes.HasPrefix(sample[start:], []byte(byteOrderMark)) {
		start += len(byteOrderMark)
	}
	whole := int64(len(sample)) == in.Size
	if whole && blankText(sample[start:]) {
		return nil, source.ErrEmpty
	}
	sheet, err := decide(sample[start:], whole, opt)
	if err != nil {
		return nil, err
	}
	if sheet.body < 0 {
		sheet.body = in.Size - int64(start)
	}
	return &book{in: in, opt: opt, start: int64(start), sheet: sheet}, nil
}

// book is a file of delimited text: one sheet without a name.
type book struct {
	in    source.Input
	opt   source.Options
	start int64
	sheet *sheet
}

func (b *book) Evidence() []intray.Evidence {
	return []intray.Evidence{{Choice: "encoding", Value: "UTF-8", Reason: "it is UTF-8"}}
}

func (b *book) Sheets() []source.Sheet { return []source.Sheet{{}} }

func (b *book) Open(_ context.Context, sheet int) (source.Reader, error) {
	if sheet != 0 {
		return nil, fmt.Errorf("open sheet %d: a CSV file has one sheet, number 0", sheet)
	}
	r := &reader{
		sheet: b.sheet, limits: b.opt.Limits, in: b.in, line: b.sheet.line, told: map[string]int{},
		w: window{base: b.start + b.sheet.body, from: fileText(b.in, b.start+b.sheet.body)},
	}
	if b.sheet.dialect.plain() && !b.sheet.asIs && b.sheet.width > 1 {
		r.side = sideBySide{fast: newFast(b.sheet), rowBytes: b.sheet.rowBytes}
	}
	r.repair = newRepairer(b.sheet.dialect, b.sheet.width, b.sheet.profiles)
	return r, nil
}

func (b *book) Close() error { return nil }
