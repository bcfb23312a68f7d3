// Package csv reads comma-separated text.
//
// A record is one row of cells; a cell is either bare or quoted. A quoted cell
// begins with a quote right behind the comma, ends with a quote right before
// the next one, and may hold commas, line ends (kept byte for byte) and quotes
// written twice. A bare cell holds whatever stands between two commas; a quote
// in it is text. A line ends with LF, CRLF or a lone CR. A line without any
// byte is blank. The header is the first record that has any text.
//
// The package reads UTF-8 and commas, nothing else, and it repairs nothing:
// text behind a closing quote, a quote that is never closed, a byte that is
// not UTF-8 and a NUL byte make a file unreadable. It does not look for other
// delimiters, other encodings or a header further down.
package csv

import (
	"bytes"
	"context"
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Format is the format "csv". The zero value is ready.
type Format struct{}

// Name is "csv".
func (Format) Name() string { return "csv" }

// Open looks for the byte order mark. A file of nothing but white space is
// source.ErrEmpty.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	start, err := markLength(in)
	if err != nil {
		return nil, err
	}
	if err := refuseBlank(ctx, in, start); err != nil {
		return nil, err
	}
	opt.Limits = opt.Limits.WithDefaults()
	return &book{in: in, opt: opt, start: start}, nil
}

// byteOrderMark is how some programs begin a UTF-8 file.
const byteOrderMark = "\uFEFF"

// markLength is the number of bytes of the byte order mark, 0 without one.
func markLength(in source.Input) (int64, error) {
	mark := make([]byte, min(in.Size, int64(len(byteOrderMark))))
	if err := readAt(in, mark, 0); err != nil {
		return 0, err
	}
	if string(mark) == byteOrderMark {
		return int64(len(mark)), nil
	}
	return 0, nil
}

// refuseBlank fails with source.ErrEmpty where there is only white space
// behind start.
func refuseBlank(ctx context.Context, in source.Input, start int64) error {
	chunk := make([]byte, min(in.Size-start, 64<<10))
	for at := start; at < in.Size; at += int64(len(chunk)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk = chunk[:min(in.Size-at, int64(len(chunk)))]
		if err := readAt(in, chunk, at); err != nil {
			return err
		}
		if len(bytes.Trim(chunk, " \t\r\n\v\f")) > 0 {
			return nil
		}
	}
	return source.ErrEmpty
}

// book is a CSV file: one sheet without a name.
type book struct {
	in  source.Input
	opt source.Options
	// start is where the text begins, behind the byte order mark.
	start int64
}

func (b *book) Evidence() []intray.Evidence {
	reason := "no byte order mark; a byte that is not UTF-8 stops the reading"
	if b.start > 0 {
		reason = "the file begins with the byte order mark of UTF-8"
	}
	return []intray.Evidence{{Choice: "encoding", Value: "UTF-8", Reason: reason}}
}

func (b *book) Sheets() []source.Sheet { return []source.Sheet{{}} }

func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet != 0 {
		return nil, fmt.Errorf("open sheet %d: a CSV file has one sheet, number 0", sheet)
	}
	return newReader(ctx, b)
}

func (b *book) Close() error { return nil }
