package schemajson

import (
	"errors"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schemajson/internal/js"
)

// hookProblem says why a hook's source is no function; the zero message where it
// is one. The source is only read, never run.
func hookProblem(source string) intray.Message {
	switch {
	case len(source) > MaxHookBytes:
		return intray.NewMessage("hook_source.too_long", intray.Params{"n": MaxHookBytes, "size": len(source)})
	case strings.TrimSpace(source) == "":
		return intray.NewMessage("hook_source.empty", nil)
	}
	isFunction, err := js.Check(source)
	var wrong *js.Error
	switch {
	case err != nil && endsWithSemicolon(source):
		return intray.NewMessage("hook_source.semicolon", nil)
	case errors.As(err, &wrong):
		return intray.NewMessage("hook_source.syntax_error", intray.Params{"line": wrong.Line, "column": wrong.Column, "problem": wrong.Reason})
	case !isFunction:
		return intray.NewMessage("hook_source.not_one_function", intray.Params{"example": "(record, mode) => ({row: {}})", "example2": "function (record, mode) { … }"})
	}
	return intray.Message{}
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
