package jsonrows

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// FuzzJSONRows checks that encoding/json accepts every file that this package accepts, and
// finds the same leaves.
func FuzzJSONRows(f *testing.F) {
	for _, r := range readings {
		f.Add(r.Text)
	}
	f.Add(`[{"b":1,"":{"":3111}}]`)
	f.Add(`[{"a":[{"b":"\u0000"}],"a":1}]`)
	f.Fuzz(func(t *testing.T, text string) {
		if score, reason := (Format{}).Detect(sourcetest.NewInput("", nil), []byte(text)); score < 0 || score > 1 || (score > 0) == reason.IsZero() {
			t.Fatalf("%q: score %v, reason %q", text, score, reason)
		}
		sheet, err := readText(t, text, source.Options{})
		if err != nil {
			if !isTyped(err) {
				t.Fatalf("%q: untyped error: %v", text, err)
			}
			return
		}
		b, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(text)), source.Options{})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if p := b.(*book).tables[0]; p.arrayElements || p.enclosingObjects > 0 {
			return // its records are only a part of the text
		}
		elements := standardElements(t, strings.TrimPrefix(text, byteOrderMark))
		if len(elements) != len(sheet.Records) {
			t.Fatalf("%q: %d records of %d elements", text, len(sheet.Records), len(elements))
		}
		for i, element := range elements {
			want := map[string]string{}
			flatten(t, want, nil, element)
			got := map[string]string{}
			for c, cell := range sheet.Records[i] {
				if cell != "" {
					got[sheet.Headers[c]] = cell
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q, element %d (-want +got):\n%s", text, i, diff)
			}
		}
	})
}

// standardElements returns the elements that encoding/json finds in the given text.
func standardElements(t *testing.T, text string) (elements []json.RawMessage) {
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatalf("%q: read, but %v", text, err)
		}
		if value[0] != '[' {
			elements = append(elements, value)
		} else if err := json.Unmarshal(value, &elements); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

// flatten adds the nonempty leaves of a value to leaves, by path. way is the path of the value.
func flatten(t *testing.T, leaves map[string]string, way []string, value json.RawMessage) {
	var object map[string]json.RawMessage
	var cell string
	switch value[0] {
	case '{':
		if err := json.Unmarshal(value, &object); err != nil {
			t.Fatal(err)
		}
		for name, member := range object {
			flatten(t, leaves, append(way[:len(way):len(way)], name), member)
		}
		return
	case '"':
		if err := json.Unmarshal(value, &cell); err != nil {
			t.Fatal(err)
		}
	case '[':
		var compact bytes.Buffer
		if err := json.Compact(&compact, value); err != nil {
			t.Fatal(err)
		}
		cell = compact.String()
	case 'n':
	default:
		cell = string(value)
	}
	if cell != "" {
		leaves[strings.Join(way, ".")] = cell
	}
}
