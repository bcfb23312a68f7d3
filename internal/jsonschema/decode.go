package jsonschema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
)

// These limits apply if the corresponding fields of [Limits] are zero.
const (
	DefaultMaxDepth  = 64
	DefaultMaxValues = 1_000_000
)

// Limits are the limits for documents that [Decode] accepts. The default applies to each field
// that is zero.
type Limits struct {
	// MaxBytes is the maximum size of a document, in bytes. The default is no limit, for
	// readers that already have a limit.
	MaxBytes int64
	// MaxDepth is the maximum nesting depth of objects and arrays. The default is
	// DefaultMaxDepth.
	MaxDepth int
	// MaxValues is the maximum number of values and property names. It is needed because a small
	// document with many empty arrays uses a lot of memory. The default is DefaultMaxValues.
	MaxValues int
}

// SyntaxError reports input that is not a valid JSON document.
type SyntaxError struct {
	// Offset is the approximate location of the error in bytes, counted from 0.
	Offset int64
	// Line is the line of the error, counted from 1. 0 means that it is unknown; see FindLine.
	Line int64
	// Reason is a sentence without a final period.
	Reason intray.Message
}

// FindLine sets the line of the error. It reads the document up to the error.
func (e *SyntaxError) FindLine(document io.Reader) error {
	var lines lineCounter
	if _, err := io.CopyN(&lines, document, e.Offset); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read JSON document: %w", err)
	}
	e.Line = int64(lines) + 1
	return nil
}

// lineCounter counts the line feeds that are written to it.
type lineCounter int64

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

// Describe returns the reason with the offset and, if it is known, the line.
func (e *SyntaxError) Describe() intray.Message {
	if e.Line > 0 {
		return intray.NewMessage("json.at_line", intray.Params{"problem": e.Reason, "line": e.Line, "offset": e.Offset})
	}
	return intray.NewMessage("json.at_byte", intray.Params{"problem": e.Reason, "offset": e.Offset})
}

func (e *SyntaxError) Error() string { return e.Describe().String() }

// These are the reasons without parameters.
var (
	reasonEmpty     = intray.NewMessage("json.empty", nil)
	reasonEarly     = intray.NewMessage("json.ends_early", nil)
	reasonFollows   = intray.NewMessage("json.trailing_data", nil)
	reasonName      = intray.NewMessage("json.name_not_string", nil)
	reasonNUL       = intray.NewMessage("json.null_character", nil)
	reasonSurrogate = intray.NewMessage("json.lone_surrogate", nil)
	reasonUTF8      = intray.NewMessage("json.invalid_utf8", nil)
	reasonText      = intray.NewMessage("json.unexpected_text", nil)
)

func duplicateName(name string) intray.Message {
	return intray.NewMessage("json.duplicate_name", intray.Params{"name": shorten(name, maxShown)})
}

func tooDeep(limit int) intray.Message {
	return intray.NewMessage("json.too_deep", intray.Params{"n": limit})
}

// unexpectedCharacter returns the reason that names a character, or its escape if it is
// invisible.
func unexpectedCharacter(r rune) intray.Message {
	quoted := strconv.QuoteRune(r)
	return intray.NewMessage("json.unexpected_character", intray.Params{"character": quoted[1 : len(quoted)-1]})
}

// ErrTooLarge is the error, always wrapped, for a document with too many bytes or values.
var ErrTooLarge = errors.New("the JSON document is too large")

// Decode reads one JSON document to its end. It rejects invalid UTF-8, lone surrogates, duplicate
// names, U+0000 in a string or name, deep nesting and any data after the document. It decodes
// numbers as json.Number without changing them, objects as map[string]any and arrays as []any.
//
// It returns a *SyntaxError, or an error that wraps ErrTooLarge or an error from the reader.
func Decode(r io.Reader, lim Limits) (any, error) {
	lim.MaxDepth = cmp.Or(max(lim.MaxDepth, 0), DefaultMaxDepth)
	lim.MaxValues = cmp.Or(max(lim.MaxValues, 0), DefaultMaxValues)
	if lim.MaxBytes > 0 {
		r = &boundedReader{r: r, left: lim.MaxBytes}
	}
	d := decoder{in: jsontext.NewDecoder(r), lim: lim}
	v, err := d.readValue(0)
	if err != nil {
		return nil, d.translateError(err)
	}
	if err := d.expectEnd(); err != nil {
		return nil, err
	}
	return v, nil
}

type decoder struct {
	in    *jsontext.Decoder
	lim   Limits
	count int
}

func (d *decoder) errorf(reason intray.Message) error {
	return &SyntaxError{Offset: d.in.InputOffset(), Reason: reason}
}

// readValue reads one value. depth is the number of objects and arrays that contain it.
func (d *decoder) readValue(depth int) (any, error) {
	if d.count++; d.count > d.lim.MaxValues {
		return nil, fmt.Errorf("%w: it has more than %d values", ErrTooLarge, d.lim.MaxValues)
	}
	tok, err := d.in.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case '{', '[':
		if depth >= d.lim.MaxDepth {
			return nil, d.errorf(tooDeep(d.lim.MaxDepth))
		}
		if tok.Kind() == '[' {
			return d.readArray(depth + 1)
		}
		return d.readObject(depth + 1)
	case '"':
		s := tok.String()
		if strings.IndexByte(s, 0) >= 0 {
			return "", d.errorf(reasonNUL)
		}
		return s, nil
	case '0':
		return json.Number(tok.String()), nil
	case 'n':
		return nil, nil
	}
	return tok.Bool(), nil
}

func (d *decoder) readArray(depth int) (any, error) {
	list := []any{}
	for d.in.PeekKind() != ']' {
		v, err := d.readValue(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.in.ReadToken()
	return list, err
}

func (d *decoder) readObject(depth int) (any, error) {
	m := map[string]any{}
	for d.in.PeekKind() != '}' {
		name, err := d.readValue(depth)
		if err != nil {
			return nil, err
		}
		v, err := d.readValue(depth)
		if err != nil {
			return nil, err
		}
		// The decoder has already rejected names that are not strings.
		m[name.(string)] = v
	}
	_, err := d.in.ReadToken()
	return m, err
}

// expectEnd returns an error if anything follows the document.
func (d *decoder) expectEnd() error {
	_, err := d.in.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	var syntax *jsontext.SyntacticError
	if err == nil || errors.As(err, &syntax) {
		return d.errorf(reasonFollows)
	}
	return d.translateError(err)
}

// translateError turns an error from the decoder into one of the errors that Decode documents.
func (d *decoder) translateError(err error) error {
	var own *SyntaxError
	if errors.As(err, &own) || errors.Is(err, ErrTooLarge) {
		return err
	}
	offset := d.in.InputOffset()
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntax):
		return &SyntaxError{Offset: syntax.ByteOffset, Reason: d.reasonOf(syntax)}
	case errors.Is(err, io.EOF) && offset == 0:
		return &SyntaxError{Reason: reasonEmpty}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{Offset: offset, Reason: reasonEarly}
	}
	return fmt.Errorf("read JSON document: %w", err)
}

// reasonOf returns the reason for a syntax error from the decoder. For most errors, it
// examines the bytes at the location, because the library has no types for these errors.
func (d *decoder) reasonOf(err *jsontext.SyntacticError) intray.Message {
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return duplicateName(err.JSONPointer.LastToken())
	case errors.Is(err, jsontext.ErrNonStringName):
		return reasonName
	case errors.Is(err, io.ErrUnexpectedEOF):
		return reasonEarly
	}
	unread, at := d.in.UnreadBuffer(), err.ByteOffset-d.in.InputOffset()
	if at < 0 || at >= int64(len(unread)) {
		return reasonText
	}
	rest := unread[at:]
	switch r, size := utf8.DecodeRune(rest); {
	case r == utf8.RuneError && size < 2:
		return reasonUTF8
	case surrogateEscape.Match(rest):
		return reasonSurrogate
	case r == '\\' && len(rest) > 1:
		return unexpectedCharacter(rune(rest[1]))
	default:
		return unexpectedCharacter(r)
	}
}

// surrogateEscape matches the escape of one half of a surrogate pair.
var surrogateEscape = regexp.MustCompile(`^\\u[dD][89a-fA-F]`)

// boundedReader returns an error if its reader returns too many bytes. The field left is the
// number of bytes that the reader may still return.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if int64(n) > b.left {
		return 0, fmt.Errorf("%w: it has too many bytes", ErrTooLarge)
	}
	b.left -= int64(n)
	return n, err
}
