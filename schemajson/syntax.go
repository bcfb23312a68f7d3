package schemajson

import (
	"fmt"
	"strings"

	"github.com/intraydata/intray/schemajson/internal/js"
)

// hookProblem says why a hook's source is no function, or "". The source is
// only read, never run.
func hookProblem(source string) string {
	switch {
	case len(source) > MaxHookBytes:
		return fmt.Sprintf("must be at most %d bytes long, not %d", MaxHookBytes, len(source))
	case strings.TrimSpace(source) == "":
		return "must be a function, not an empty text"
	}
	isFunction, err := js.Check(source)
	switch {
	case err != nil && endsWithSemicolon(source):
		return "must be an expression; take the semicolon at its end away"
	case err != nil:
		return "has a syntax error in " + err.Error()
	case !isFunction:
		return "must be one function, such as (record, mode) => ({row: {}}) or function (record, mode) { … }, with nothing after it"
	}
	return ""
}

// endsWithSemicolon says whether a semicolon at the end is all that is wrong.
func endsWithSemicolon(source string) bool {
	s, ok := strings.CutSuffix(strings.TrimSpace(source), ";")
	if !ok {
		return false
	}
	_, err := js.Check(s)
	return err == nil
}

// mentions says whether a source has a word, anywhere.
func mentions(source, word string) bool {
	for at := 0; at < len(source); {
		end := wordEnd(source, at)
		if source[at:end] == word {
			return true
		}
		at = max(end, at+1)
	}
	return false
}

func wordEnd(source string, at int) int {
	for at < len(source) && isWordByte(source[at]) {
		at++
	}
	return at
}

// isWordByte says whether a byte may be a part of a name. Bytes beyond ASCII
// may.
func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
