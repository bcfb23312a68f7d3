// Package jsonrows reads JSON that holds a table.
//
// An element is one object of the file: of its outermost array, or of its
// stream where objects follow one another, one per line. Each element is a
// record. A leaf is a value below an element that is no object itself: its
// text is a cell, and the names on the way to it, joined by dots, are its
// column. A string is its text, a number its digits as written, true and false
// are their names, null is an empty cell and an array its JSON without white
// space. A column without any text whose name leads to further columns is left
// out, as null where other elements have an object.
//
// The columns are known only once the whole file was seen, so it is read
// twice. Names given twice in one object, lone surrogates, NUL characters and
// bytes that are not UTF-8 make a file unreadable. The package does not look
// for a table deeper in a document, and accepts no comments or other dialects.
package jsonrows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// MaxDepth is how deep objects and arrays may be nested, the outermost counted.
const MaxDepth = 64

// Format is the format "json". The zero value is ready.
type Format struct{}

// Name is "json".
func (Format) Name() string { return "json" }

// Open looks at the first character of the file: it says which form the file
// has. A file of nothing but white space is source.ErrEmpty.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	start, err := markLength(in)
	if err != nil {
		return nil, err
	}
	first, err := firstByte(ctx, in, start)
	if err != nil {
		return nil, err
	}
	opt.Limits = opt.Limits.WithDefaults()
	return &book{in: in, opt: opt, start: start, array: first == '['}, nil
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

// firstByte is the first one from start on that is not white space.
func firstByte(ctx context.Context, in source.Input, start int64) (byte, error) {
	chunk := make([]byte, min(in.Size-start, 64<<10))
	for at := start; at < in.Size; at += int64(len(chunk)) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		chunk = chunk[:min(in.Size-at, int64(len(chunk)))]
		if err := readAt(in, chunk, at); err != nil {
			return 0, err
		}
		if i := skipSpace(chunk, 0); i < len(chunk) {
			return chunk[i], nil
		}
	}
	return 0, source.ErrEmpty
}

// readAt fills b from a place in the file.
func readAt(in source.Input, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", at, err)
}

// book is a JSON file: one sheet without a name.
type book struct {
	in  source.Input
	opt source.Options
	// start is where the text begins, behind the byte order mark.
	start int64
	// array says that the elements stand in one array.
	array bool

	mu sync.Mutex
	// shape is what the first pass found, nil before it.
	shape *shape
}

func (b *book) Evidence() []intray.Evidence {
	encoding := "JSON is UTF-8, and there is no byte order mark; a byte that is not UTF-8 stops the reading"
	if b.start > 0 {
		encoding = "the file begins with the byte order mark of UTF-8"
	}
	form, why := "one object per line", "the file does not begin with ["
	if b.array {
		form, why = "array of objects", "the file begins with ["
	}
	return []intray.Evidence{
		{Choice: "encoding", Value: "UTF-8", Reason: encoding},
		{Choice: "form", Value: form, Reason: why},
	}
}

func (b *book) Sheets() []source.Sheet { return []source.Sheet{{}} }

// Open reads the whole file for its columns, the first time it is called.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet != 0 {
		return nil, fmt.Errorf("open sheet %d: a JSON file has one sheet, number 0", sheet)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shape == nil {
		found, err := survey(ctx, b)
		if err != nil {
			return nil, err
		}
		b.shape = found
	}
	return newReader(b), nil
}

func (b *book) Close() error { return nil }
