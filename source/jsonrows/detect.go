package jsonrows

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Detect is sure where the file begins with an object or an array of objects,
// and nearly so where its name says JSON and the first character does not
// contradict.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	at := skipSpace(head, 0)
	if at == len(head) || bytes.IndexByte(head, 0) >= 0 {
		return 0, intray.Message{}
	}
	named := isNamed(in.Name)
	tokens, whole := readable(head)
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
