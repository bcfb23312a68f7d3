// Package jsonrows reads JSON files that contain one or more tables.
//
// An element is a value that becomes one record. A file can contain elements in three ways: as
// the values of a single array, as one value per line, or as the values of arrays inside a
// single object. In an object, each array of objects or arrays is a sheet, and its name is its
// path in the object. The package reports the other members of the object and does not read
// them. A file that starts with an object and has the extension .ndjson or .jsonl has one object
// per line, even if it has only one line. The package recognizes one array per line if the
// second line is also an array.
//
// The elements of a table must be all objects or all arrays. In an object, a leaf is a value
// that is not an object itself. Each leaf is a cell, and its path, joined by dots, is the name
// of its column. In an array, each value is a cell, and the package detects the header as in
// text files. A cell is the value of a string, the digits of a number as written, "true" or
// "false", or the JSON of an array without white space. A null is an empty cell. The package
// drops an empty column if its path is a prefix of the paths of other columns, because some
// elements then have null instead of an object.
//
// The package reads each sheet twice, because it knows the columns only after it has read the
// whole sheet. If there is one object per line, workers parse chunks of lines in parallel. Lines
// that the workers cannot parse are read again one by one, which yields the same records. A file
// is unreadable if it contains duplicate names in an object, unpaired surrogates, NUL characters
// or invalid UTF-8. The package does not search elements for tables, and does not support
// comments or other extensions of JSON.
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

// minParallelSize is the minimum size, in bytes, of a file that is parsed in parallel.
const minParallelSize = 4 << 20

// MaxDepth is the maximum nesting depth of objects and arrays, including the outermost one.
const MaxDepth = 64

// Format is the format "json". The zero value is ready to use.
type Format struct{}

// Name is "json".
func (Format) Name() string { return "json" }

// Open finds the tables in the file. If the file is a single object, Open reads all of it. It
// returns source.ErrEmpty if the file contains only white space.
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
	tables, others, err := findTables(ctx, in, opt.Limits, at, first)
	if err != nil {
		return nil, err
	}
	b := &book{in: in, opt: opt, marked: start > 0, tables: tables, skipped: others, shapes: make([]*sheetShape, len(tables))}
	if in.Size >= minParallelSize {
		b.chunk = chunkBytes
	}
	return b, nil
}

// byteOrderMark is the byte order mark that some programs write at the start of UTF-8 files.
const byteOrderMark = "\uFEFF"

// byteOrderMarkLength returns the length of the byte order mark in bytes, or 0 if there is none.
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

// firstNonSpace returns the first byte at or after start that is not white space, and its offset.
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

// readFullAt fills b with the bytes of the file that start at an offset.
func readFullAt(in source.Input, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	if n == len(b) && (err == nil || errors.Is(err, io.EOF)) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", at, err)
}

// book is a JSON file with one sheet per table.
type book struct {
	in  source.Input
	opt source.Options
	// marked reports whether the file starts with a byte order mark.
	marked bool
	tables []tableLocation
	// skipped holds the paths of members that are not tables.
	skipped []string
	// chunk is the number of bytes that one worker parses at a time. It is 0 for sequential
	// reading.
	chunk int

	mu sync.Mutex
	// shapes holds the result of the first pass for each table. An entry is nil before that pass.
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

// formEvidence returns the arrangement of the tables in the file, and the reason.
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

// Open returns a reader of a sheet. The first call for a sheet reads the whole sheet to find
// its columns.
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

// Detect returns a high score if the beginning of the file is valid JSON that starts with an
// object or an array. The score is slightly lower if the beginning is not entirely valid, but
// starts with an object, with an array of objects, or with an array in a file with a JSON
// extension.
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

// opensObject reports whether text starts with an object or an array of objects.
func opensObject(text []byte) bool {
	if text[0] == '[' {
		text = text[skipSpace(text, 1):]
	}
	return len(text) > 0 && text[0] == '{'
}

// countTokens returns the number of valid tokens at the start of text. whole reports whether
// text is valid up to its end. The last token may be truncated.
func countTokens(text []byte) (tokens int, whole bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for ; ; tokens++ {
		if _, err := dec.ReadToken(); err != nil {
			return tokens, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}
