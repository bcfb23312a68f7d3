package shape

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The limits that [Decode] keeps where [Limits] names none.
const (
	DefaultMaxDepth  = 64
	DefaultMaxValues = 1_000_000
)

// Limits bound what [Decode] takes. Zero fields mean the defaults.
type Limits struct {
	// MaxBytes is the most bytes a document may have. Default: no limit, for
	// readers that are limited already.
	MaxBytes int64
	// MaxDepth is how many objects and arrays may stand inside each other.
	// Default DefaultMaxDepth.
	MaxDepth int
	// MaxValues is how many values, with property names, a document may hold:
	// a small document of many empty arrays needs much memory. Default
	// DefaultMaxValues.
	MaxValues int
}

// SyntaxError says why a text is no acceptable JSON document.
type SyntaxError struct {
	// Offset counts bytes from the start of the text to about the place of
	// the error.
	Offset int64
	// Reason is a sentence without a full stop.
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset)
}

// The reasons of syntax errors.
const (
	reasonEmpty     = "the document is empty"
	reasonEarly     = "the document ends too early"
	reasonFollows   = "something follows the end of the document"
	reasonTwice     = "an object has the same name twice: %s"
	reasonName      = "a name of an object must be a string in double quotes"
	reasonNUL       = "a string contains the character U+0000, which is not allowed"
	reasonSurrogate = "a string contains half of a surrogate pair"
	reasonUTF8      = "the document is not valid UTF-8"
	reasonDepth     = "the document is nested more than %d levels deep"
	reasonSyntax    = "this is not valid JSON: "
)

// ErrTooLarge is returned, wrapped, for a document over a limit of bytes or of
// values.
var ErrTooLarge = errors.New("the JSON document is too large")

// Decode reads one JSON document to its end. It refuses invalid UTF-8, lone
// surrogates, duplicate names, U+0000 in any string or name, too deep nesting
// and anything after the document. Numbers become json.Number as written,
// objects map[string]any, arrays []any.
//
// Errors are a *SyntaxError, ErrTooLarge, or the reader's own, wrapped.
func Decode(r io.Reader, lim Limits) (any, error) {
	lim = lim.filled()
	if lim.MaxBytes > 0 {
		r = &boundedReader{r: r, left: lim.MaxBytes}
	}
	d := decoder{in: jsontext.NewDecoder(r), lim: lim}
	v, err := d.next(0)
	if err != nil {
		return nil, d.explain(err)
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return v, nil
}

func (l Limits) filled() Limits {
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	if l.MaxValues <= 0 {
		l.MaxValues = DefaultMaxValues
	}
	return l
}

type decoder struct {
	in    *jsontext.Decoder
	lim   Limits
	count int
}

func (d *decoder) fail(reason string, args ...any) error {
	return &SyntaxError{Offset: d.in.InputOffset(), Reason: fmt.Sprintf(reason, args...)}
}

// next reads one value that stands inside depth others.
func (d *decoder) next(depth int) (any, error) {
	if d.count++; d.count > d.lim.MaxValues {
		return nil, fmt.Errorf("%w: it holds more than %d values", ErrTooLarge, d.lim.MaxValues)
	}
	tok, err := d.in.ReadToken()
	if err != nil {
		return nil, err
	}
	switch tok.Kind() {
	case '{', '[':
		return d.group(tok.Kind(), depth+1)
	case '"':
		return d.text(tok)
	case '0':
		return json.Number(tok.String()), nil
	case 'n':
		return nil, nil
	}
	return tok.Bool(), nil
}

func (d *decoder) text(tok jsontext.Token) (string, error) {
	s := tok.String()
	if strings.IndexByte(s, 0) >= 0 {
		return "", d.fail(reasonNUL)
	}
	return s, nil
}

func (d *decoder) group(kind jsontext.Kind, depth int) (any, error) {
	if depth > d.lim.MaxDepth {
		return nil, d.fail(reasonDepth, d.lim.MaxDepth)
	}
	if kind == '[' {
		return d.array(depth)
	}
	return d.object(depth)
}

func (d *decoder) array(depth int) (any, error) {
	list := []any{}
	for d.in.PeekKind() != ']' {
		v, err := d.next(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.in.ReadToken()
	return list, err
}

func (d *decoder) object(depth int) (any, error) {
	m := map[string]any{}
	for d.in.PeekKind() != '}' {
		name, err := d.next(depth)
		if err != nil {
			return nil, err
		}
		v, err := d.next(depth)
		if err != nil {
			return nil, err
		}
		// The decoder refuses names that are no strings.
		m[name.(string)] = v
	}
	_, err := d.in.ReadToken()
	return m, err
}

// end makes sure that nothing follows the document.
func (d *decoder) end() error {
	_, err := d.in.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	var syntax *jsontext.SyntacticError
	if err == nil || errors.As(err, &syntax) {
		return d.fail(reasonFollows)
	}
	return d.explain(err)
}

// explain turns what the decoder says into the errors that Decode promises.
func (d *decoder) explain(err error) error {
	var own *SyntaxError
	if errors.As(err, &own) || errors.Is(err, ErrTooLarge) {
		return err
	}
	offset := d.in.InputOffset()
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntax):
		return &SyntaxError{Offset: syntax.ByteOffset, Reason: reasonOf(syntax)}
	case errors.Is(err, io.EOF) && offset == 0:
		return &SyntaxError{Reason: reasonEmpty}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{Offset: offset, Reason: reasonEarly}
	}
	return fmt.Errorf("reading a JSON document: %w", err)
}

func reasonOf(err *jsontext.SyntacticError) string {
	text := err.Error()
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Sprintf(reasonTwice, quote(err.JSONPointer.LastToken()))
	case errors.Is(err, jsontext.ErrNonStringName):
		return reasonName
	case errors.Is(err, io.ErrUnexpectedEOF):
		return reasonEarly
	case strings.Contains(text, "UTF-8"):
		return reasonUTF8
	case strings.Contains(text, "surrogate"):
		return reasonSurrogate
	}
	return reasonSyntax + cause(err)
}

// cause is the innermost reason, without the decoder's own prefix.
func cause(err *jsontext.SyntacticError) string {
	if err.Err == nil {
		return "unexpected text"
	}
	return strings.TrimPrefix(err.Err.Error(), "jsontext: ")
}

// boundedReader fails, instead of ending, once more than left bytes come.
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
		return 0, fmt.Errorf("%w: it has more bytes than are allowed here", ErrTooLarge)
	}
	b.left -= int64(n)
	return n, err
}
