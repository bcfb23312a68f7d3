// Package jsonrows reads JSON that holds a table, or several.
//
// An element is one value of the file that makes a record. Elements stand in an
// array that is the whole file, one per line, or in an array inside of an object
// that is the whole file. Each such array with objects or arrays in it is a
// sheet, named by the way to it; what else is in that object is told and not
// read. A file whose name ends in .ndjson or .jsonl has one object per line, even
// where there is only one, and lines of which each is an array are known by the
// next line being one, too.
//
// An element is an object, or each element is an array. A leaf is a value below
// an object that is no object itself: its text is a cell, and the names on the
// way to it, joined by dots, are its column. Of an array each value is a cell,
// and the header is looked for as in text. A string is its text, a number its
// digits as written, true and false are their names, null is an empty cell and an
// array its JSON without white space. A column without any text whose name leads
// to further columns is left out, as null where other elements have an object.
//
// The columns are known only once the whole sheet was seen, so it is read twice.
// Where objects stand one per line, workers read runs of lines side by side, and
// what they cannot tell alone is read again one by one; the outcome is the same.
// Names given twice in one object, lone surrogates, NUL characters and bytes that
// are not UTF-8 make a file unreadable. The package does not look for tables
// inside of elements, and accepts no comments or other dialects.
package jsonrows

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// minParallelSize is the size from which on workers read ahead.
const minParallelSize = 4 << 20

// MaxDepth is how deep objects and arrays may be nested, the outermost counted.
const MaxDepth = 64

// Format is the format "json". The zero value is ready.
type Format struct{}

// Name is "json".
func (Format) Name() string { return "json" }

// Open finds the tables of the file. Where it is one object, all of it is read
// for that. A file of nothing but white space is source.ErrEmpty.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	start, err := byteOrderMarkLength(in)
	if err != nil {
		return nil, err
	}
	first, at, err := firstNonSpace(ctx, in, start)
	if err != nil {
		return nil, err
	}
	opt.Limits = opt.Limits.WithDefaults()
	parts, beside, err := findTables(ctx, in, opt.Limits, at, first)
	if err != nil {
		return nil, err
	}
	b := &book{in: in, opt: opt, marked: start > 0, tables: parts, skipped: beside, shapes: make([]*sheetShape, len(parts))}
	if in.Size >= minParallelSize {
		b.chunk = chunkBytes
	}
	return b, nil
}

// byteOrderMark is how some programs begin a UTF-8 file.
const byteOrderMark = "\uFEFF"

// byteOrderMarkLength is the number of bytes of the byte order mark, 0 without one.
func byteOrderMarkLength(in source.Input) (int64, error) {
	mark := make([]byte, min(in.Size, int64(len(byteOrderMark))))
	if err := readFullAt(in, mark, 0); err != nil {
		return 0, err
	}
	if string(mark) == byteOrderMark {
		return int64(len(mark)), nil
	}
	return 0, nil
}

// firstNonSpace is the first one from start on that is not white space, and its
// place.
func firstNonSpace(ctx context.Context, in source.Input, start int64) (first byte, place int64, err error) {
	chunk := make([]byte, min(in.Size-start, 64<<10))
	for at := start; at < in.Size; at += int64(len(chunk)) {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		chunk = chunk[:min(in.Size-at, int64(len(chunk)))]
		if err := readFullAt(in, chunk, at); err != nil {
			return 0, 0, err
		}
		if i := skipSpace(chunk, 0); i < len(chunk) {
			return chunk[i], at + int64(i), nil
		}
	}
	return 0, 0, source.ErrEmpty
}

// readFullAt fills b from a place in the file.
func readFullAt(in source.Input, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", at, err)
}

// book is a JSON file: a sheet for each of its parts.
type book struct {
	in  source.Input
	opt source.Options
	// marked says that the file begins with the byte order mark.
	marked bool
	tables []tableLocation
	// skipped are names of what stands beside the tables.
	skipped []string
	// chunk is how much text one worker reads at a time, 0 for none.
	chunk int

	mu sync.Mutex
	// shapes are what the first pass found, nil before it.
	shapes []*sheetShape
}

func (b *book) Evidence() []intray.Evidence {
	encoding := intray.NewMessage("json_file.utf8", nil)
	if b.marked {
		encoding = intray.NewMessage("encoding.byte_order_mark", intray.Params{"encoding": "UTF-8"})
	}
	form, why := b.formEvidence()
	list := []intray.Evidence{
		{Choice: "encoding", Value: "UTF-8", Reason: encoding},
		{Choice: "form", Value: form, Reason: why},
	}
	if len(b.skipped) > 0 {
		list = append(list, intray.Evidence{Choice: "beside the tables", Value: strings.Join(b.skipped, ", "), Reason: intray.NewMessage("json_file.other_members", nil)})
	}
	return list
}

// formEvidence says how the tables stand in the file, and why.
func (b *book) formEvidence() (form string, why intray.Message) {
	p := b.tables[0]
	switch {
	case len(b.tables) > 1:
		return "several arrays", intray.NewMessage("json_file.several_arrays", intray.Params{"n": len(b.tables)})
	case p.enclosingObjects > 0:
		return p.formName(), intray.NewMessage("json_file.one_array", intray.Params{"name": source.Excerpt(p.name)})
	case p.inArray:
		return p.formName(), intray.NewMessage("json_file.begins_with_bracket", nil)
	case p.arrayElements:
		return p.formName(), intray.NewMessage("json_file.array_lines", nil)
	}
	return p.formName(), intray.NewMessage("json_file.begins_without_bracket", nil)
}

func (b *book) Sheets() []source.Sheet {
	sheets := make([]source.Sheet, len(b.tables))
	for i, p := range b.tables {
		sheets[i].Name = p.name
	}
	return sheets
}

// Open reads the whole sheet for its columns, the first time it is called.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet < 0 || sheet >= len(b.tables) {
		return nil, fmt.Errorf("open sheet %d: the file has %d sheets, from 0", sheet, len(b.tables))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.tables[sheet]
	if b.shapes[sheet] == nil {
		found, err := surveySheet(ctx, b, p)
		if err != nil {
			return nil, err
		}
		b.shapes[sheet] = found
	}
	return newReader(b, p, b.shapes[sheet]), nil
}

func (b *book) Close() error { return nil }

// Detect is sure where the file begins with an object or an array of objects,
// and nearly so where its name says JSON and the first character does not
// contradict.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	at := skipSpace(head, 0)
	if at == len(head) || bytes.IndexByte(head, 0) >= 0 {
		return 0, intray.Message{}
	}
	named := hasJSONExtension(in.Name)
	tokens, whole := countTokens(head)
	switch {
	case head[at] != '[' && head[at] != '{' && named:
		return 0.3, intray.NewMessage("json_file.named_only", nil)
	case head[at] != '[' && head[at] != '{':
		return 0, intray.Message{}
	case whole:
		return 0.95, intray.NewMessage("json_file.begins_as_json", nil)
	case opensObject(head[at:]) && tokens >= 3, named:
		return 0.92, intray.NewMessage("json_file.begins_as_json_at_first", nil)
	}
	return 0, intray.Message{}
}

func hasJSONExtension(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl")
}

// opensObject says whether text begins as an object does, or an array of them.
func opensObject(text []byte) bool {
	if text[0] == '[' {
		text = text[skipSpace(text, 1):]
	}
	return len(text) > 0 && text[0] == '{'
}

// countTokens counts the tokens that text begins with, and says whether only its
// end comes too early, if anything.
func countTokens(text []byte) (tokens int, whole bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for ; ; tokens++ {
		if _, err := dec.ReadToken(); err != nil {
			return tokens, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}
