package jsonrows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray/source"
)

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
		return e.unreadable(e.start+syntax.ByteOffset, fmt.Sprintf("the name %q is given twice in one object", syntax.JSONPointer.LastToken()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return e.unreadable(e.in.Size, "the file ends in the middle of it")
	}
	at := e.start + syntax.ByteOffset
	if bad, place, found := badByte(e.in, at); found && strings.Contains(syntax.Err.Error(), "UTF-8") {
		return e.unreadable(place, fmt.Sprintf("byte 0x%02X is not UTF-8; save the file as UTF-8", bad))
	}
	return e.unreadable(at, "this is not JSON: "+syntax.Err.Error())
}

// locate turns an error of the walk into one that names the element.
func (e *elements) locate(err error) error {
	var long errLongCell
	var reached limitReached
	if errors.Is(err, errDeep) || errors.As(err, &long) || errors.As(err, &reached) {
		return e.limited(err.Error())
	}
	return e.unreadable(e.place(), err.Error())
}

// badByte looks for the first byte that is not UTF-8 soon behind a place.
func badByte(in source.Input, at int64) (bad byte, place int64, found bool) {
	window := make([]byte, min(64<<10, max(in.Size-at, 0)))
	if err := readAt(in, window, at); err != nil {
		return 0, 0, false
	}
	for i := 0; i < len(window); {
		char, size := utf8.DecodeRune(window[i:])
		if char == utf8.RuneError && size == 1 {
			return window[i], at + int64(i), true
		}
		i += size
	}
	return 0, 0, false
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
