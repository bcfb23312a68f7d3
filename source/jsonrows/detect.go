package jsonrows

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray/source"
)

// Detect is sure where the file begins with an object or an array of objects,
// and nearly so where its name says JSON and the first character does not
// contradict.
func (Format) Detect(in source.Input, head []byte) (score float64, reason string) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	at := skipSpace(head, 0)
	if at == len(head) || bytes.IndexByte(head, 0) >= 0 {
		return 0, "no text"
	}
	named := isNamed(in.Name)
	tokens, whole := readable(head)
	switch {
	case head[at] != '[' && head[at] != '{' && named:
		return 0.3, "the name says JSON, but the text does not"
	case head[at] != '[' && head[at] != '{':
		return 0, "the text begins neither with [ nor with {"
	case whole:
		return 0.95, "the beginning is JSON"
	case opensObject(head[at:]) && tokens >= 3, named:
		return 0.92, "the beginning is JSON at first"
	}
	return 0, "the beginning is not JSON"
}

func isNamed(name string) bool {
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

// readable counts the tokens that text begins with, and says whether only its
// end comes too early, if anything.
func readable(text []byte) (tokens int, whole bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for ; ; tokens++ {
		if _, err := dec.ReadToken(); err != nil {
			return tokens, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}
