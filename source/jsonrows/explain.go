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

// fault is what is wrong with an element, for the person who sent the file.
type fault struct {
	problem intray.Message
	// limit says that it is beyond one of the limits.
	limit bool
}

func (f *fault) Error() string { return f.problem.String() }

func beyond(problem intray.Message) *fault { return &fault{problem, true} }

// explain turns an error of the decoder into one for the person who sent the
// file.
func (e *elements) explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(e.guard.failed, errTooLong):
		return e.tooLong()
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

// locate turns an error of the walk into one that names the element.
func (e *elements) locate(err error) error {
	var f *fault
	switch {
	case !errors.As(err, &f):
		return e.unreadable(e.place(), intray.NewMessage("json.unexpected_text", nil))
	case f.limit:
		return e.limited(f.problem)
	}
	return e.unreadable(e.place(), f.problem)
}

// escapeLength is the length of an escaped character, such as \ud83d.
const escapeLength = 6

// notJSON says what at a place in the file is no JSON.
func notJSON(in source.Input, at int64) intray.Message {
	text := make([]byte, min(escapeLength, max(in.Size-at, 0)))
	if err := readAt(in, text, at); err != nil {
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

// isSurrogate reports whether a text is the escape of half of a surrogate pair.
func isSurrogate(text []byte) bool {
	digits, escaped := bytes.CutPrefix(text, []byte(`\u`))
	n, err := strconv.ParseUint(string(digits), 16, 16)
	return escaped && len(text) == escapeLength && err == nil && utf16.IsSurrogate(rune(n))
}

// lineAt is the line that holds a place in the file, from 1; 0 where the file
// cannot be read again.
func lineAt(in source.Input, at int64) int64 {
	chunk := make([]byte, 64<<10)
	line := int64(1)
	for from := int64(0); from < at; from += int64(len(chunk)) {
		chunk = chunk[:min(at-from, int64(len(chunk)))]
		if err := readAt(in, chunk, from); err != nil {
			return 0
		}
		line += int64(bytes.Count(chunk, []byte{'\n'}))
	}
	return line
}
