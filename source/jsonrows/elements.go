package jsonrows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// readBytes is the number of bytes read from the file at a time.
const readBytes = 256 << 10

// elementReader reads the elements of a table in order.
type elementReader struct {
	in    source.Input
	start int64
	table tableLocation
	limit int

	guard *limitedReader
	dec   *jsontext.Decoder
	// count is the number of elements read, including the current one.
	count int64
}

// newElementReader returns a reader that starts with the first element of a table.
func newElementReader(in source.Input, limits source.Limits, p tableLocation, opts ...jsontext.Options) *elementReader {
	e := &elementReader{in: in, table: p, limit: limits.RecordBytes, guard: &limitedReader{in: in, limit: int64(limits.RecordBytes)}}
	e.dec = jsontext.NewDecoder(e.guard, opts...)
	e.seek(p.start, 0)
	return e
}

// seek makes the reader continue at an offset in the file. count is the number of elements
// before that offset.
func (e *elementReader) seek(at, count int64) {
	e.start, e.guard.at, e.guard.start, e.count = at, at, at, count
}

// endOffset returns the file offset after the current element.
func (e *elementReader) endOffset() int64 { return e.start + e.dec.InputOffset() }

// next returns the JSON text of the next element. The text is valid until the next call. next
// returns io.EOF after the last element.
func (e *elementReader) next() ([]byte, error) {
	if e.table.inArray && e.count == 0 && e.dec.StackDepth() == 0 {
		if _, err := e.dec.ReadToken(); err != nil {
			return nil, e.explain(err)
		}
	}
	e.guard.from = e.dec.InputOffset()
	e.guard.value = e.guard.from
	e.count++
	switch kind := e.dec.PeekKind(); {
	case kind == ']' && e.table.inArray:
		return nil, e.finish()
	case kind != e.table.elementKind() && kind != jsontext.KindInvalid:
		return nil, e.unreadable(e.currentOffset(), e.table.unexpected(kind))
	}
	value, err := e.dec.ReadValue()
	if errors.Is(err, io.EOF) && !e.table.inArray {
		return nil, io.EOF
	}
	if err != nil {
		return nil, e.explain(err)
	}
	if len(value) > e.limit {
		return nil, e.tooLong()
	}
	return value, nil
}

// finish reads the end of the array and checks that no further value follows.
func (e *elementReader) finish() error {
	if _, err := e.dec.ReadToken(); err != nil {
		return e.explain(err)
	}
	if e.table.enclosingObjects > 0 {
		return io.EOF
	}
	e.guard.from = e.dec.InputOffset()
	_, err := e.dec.ReadToken()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if e.guard.failed != nil {
		return e.explain(err)
	}
	return &source.UnreadableError{Line: lineAt(e.in, e.currentOffset()), Reason: intray.NewMessage("json_file.text_after_array", nil)}
}

func kindName(kind jsontext.Kind) intray.Message {
	switch kind {
	case 'n':
		return intray.NewMessage("json_type.null", nil)
	case 't', 'f':
		return intray.NewMessage("json_type.boolean", nil)
	case '"':
		return intray.NewMessage("json_type.string", nil)
	case '0':
		return intray.NewMessage("json_type.number", nil)
	case '{':
		return intray.NewMessage("json_type.object", nil)
	}
	return intray.NewMessage("json_type.array", nil)
}

// currentOffset returns the file offset of the current element, or of the white space before it.
func (e *elementReader) currentOffset() int64 {
	at := e.start + e.guard.from
	window := make([]byte, min(4<<10, e.in.Size-at))
	if err := readFullAt(e.in, window, at); err != nil {
		return at
	}
	return at + int64(len(window)-len(bytes.TrimLeft(window, ", \t\r\n")))
}

// limitedReader reads the file for the decoder and limits the size of one element. It relies
// on the decoder to request more bytes only while it is inside the current element.
type limitedReader struct {
	in source.Input
	// at is the file offset of the next chunk, and rest is the unread part of the current chunk.
	at          int64
	chunk, rest []byte
	// passed is the number of bytes passed to the decoder. from is the offset of the current
	// element in these bytes. limit is the maximum size of an element in bytes.
	passed, from, limit int64
	// failed is the error that ended reading. It is stored here because the decoder replaces
	// some errors with its own.
	failed error
	// start is the file offset of the first byte that was passed to the decoder. value is the
	// offset of the value that the decoder reads, in the passed bytes. names counts the names in
	// that value once it is longer than uncountedBytes.
	start, value int64
	names        nameCounter
}

var (
	// errTooLong reports that an element exceeds Limits.RecordBytes.
	errTooLong = errors.New("an element is too long")
	// errTooManyNames reports that an element exceeds maxOpenNames.
	errTooManyNames = errors.New("an element has too many names")
)

func (g *limitedReader) Read(p []byte) (int, error) {
	if g.passed-g.from > g.limit {
		g.failed = errTooLong
		return 0, errTooLong
	}
	if len(g.rest) == 0 {
		if err := g.refill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	g.passed += int64(n)
	if g.passed-g.value > uncountedBytes {
		if err := g.countNames(p[:n]); err != nil {
			g.failed = err
			return 0, err
		}
	}
	return n, nil
}

// refill reads the next chunk. It returns io.EOF at the end of the file.
func (g *limitedReader) refill() error {
	size := min(readBytes, g.in.Size-g.at)
	if size == 0 {
		return io.EOF
	}
	if g.chunk == nil {
		g.chunk = make([]byte, size)
	}
	g.rest = g.chunk[:size]
	if err := readFullAt(g.in, g.rest, g.at); err != nil {
		g.rest, g.failed = nil, err
		return err
	}
	g.at += size
	return nil
}

func (e *elementReader) tooLong() error {
	return e.limited(intray.NewMessage("json_file.element_too_long", intray.Params{"limit": e.limit}))
}

// limited returns a *source.LimitError that names the current element.
func (e *elementReader) limited(problem intray.Message) error {
	return &source.LimitError{Line: lineAt(e.in, e.currentOffset()), Reason: e.named(problem)}
}

// unreadable returns a *source.UnreadableError for an offset in the file. The error names the
// current element.
func (e *elementReader) unreadable(at int64, problem intray.Message) error {
	return &source.UnreadableError{Line: lineAt(e.in, at), Reason: e.named(problem)}
}

// named prefixes a problem with the number of the current element.
func (e *elementReader) named(problem intray.Message) intray.Message {
	return intray.NewMessage("json_file.element", intray.Params{"element": e.count, "problem": problem})
}

// fault reports a problem in an element, for the person who uploaded the file.
type fault struct {
	problem intray.Message
	// limit reports whether the problem is that the element exceeds a limit.
	limit bool
}

func (f *fault) Error() string { return f.problem.String() }

func beyond(problem intray.Message) *fault { return &fault{problem, true} }

// explain converts an error of the decoder to an error for the person who uploaded the file.
func (e *elementReader) explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(e.guard.failed, errTooLong):
		return e.tooLong()
	case errors.Is(e.guard.failed, errTooManyNames):
		return e.limited(tooManyNames())
	case e.guard.failed != nil:
		return fmt.Errorf("read element %d: %w", e.count, e.guard.failed)
	case !errors.As(err, &syntax):
		return fmt.Errorf("read element %d: %w", e.count, err)
	case errors.Is(err, jsontext.ErrDuplicateName):
		name := source.Excerpt(syntax.JSONPointer.LastToken())
		return e.unreadable(e.start+syntax.ByteOffset, intray.NewMessage("json.duplicate_name", intray.Params{"name": name}))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return e.unreadable(e.in.Size, intray.NewMessage("json_file.ends_in_element", nil))
	}
	at := e.start + syntax.ByteOffset
	return e.unreadable(at, notJSON(e.in, at))
}

// locate adds the number of the element to an error of an elementWalker.
func (e *elementReader) locate(err error) error {
	var f *fault
	switch {
	case !errors.As(err, &f):
		return e.unreadable(e.currentOffset(), intray.NewMessage("json.unexpected_text", nil))
	case f.limit:
		return e.limited(f.problem)
	}
	return e.unreadable(e.currentOffset(), f.problem)
}

// escapeLength is the length of an escape sequence such as \ud83d, in bytes.
const escapeLength = 6

// notJSON returns a message about the bytes at an offset in the file, which are not valid JSON.
func notJSON(in source.Input, at int64) intray.Message {
	text := make([]byte, min(escapeLength, max(in.Size-at, 0)))
	if err := readFullAt(in, text, at); err != nil {
		text = nil
	}
	switch char, size := utf8.DecodeRune(text); {
	case char == utf8.RuneError && size == 1:
		return intray.NewMessage("json_file.not_utf8", intray.Params{"byte": fmt.Sprintf("0x%02X", text[0])})
	case isSurrogate(text):
		return intray.NewMessage("json.lone_surrogate", nil)
	case char != utf8.RuneError && unicode.IsGraphic(char):
		return intray.NewMessage("json.unexpected_character", intray.Params{"character": string(char)})
	}
	return intray.NewMessage("json.unexpected_text", nil)
}

// isSurrogate reports whether text is the escape sequence of a surrogate.
func isSurrogate(text []byte) bool {
	digits, escaped := bytes.CutPrefix(text, []byte(`\u`))
	n, err := strconv.ParseUint(string(digits), 16, 16)
	return escaped && len(text) == escapeLength && err == nil && utf16.IsSurrogate(rune(n))
}

// lineAt returns the number of the line at an offset in the file, counted from 1, or 0 if the
// file cannot be read again.
func lineAt(in source.Input, at int64) int64 {
	chunk := make([]byte, 64<<10)
	line := int64(1)
	for from := int64(0); from < at; from += int64(len(chunk)) {
		chunk = chunk[:min(at-from, int64(len(chunk)))]
		if err := readFullAt(in, chunk, from); err != nil {
			return 0
		}
		line += int64(bytes.Count(chunk, []byte{'\n'}))
	}
	return line
}
