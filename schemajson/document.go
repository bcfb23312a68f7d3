package schemajson

import (
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/shape"
)

// MaxFileBytes is the most bytes that a schema in a file may have: 16 MiB.
const MaxFileBytes = 16 << 20

// InvalidError is a schema that cannot be used. Its text has one line for each
// issue, with its path.
type InvalidError struct{ Issues []Issue }

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		lines[i] = issue.String()
	}
	return strings.Join(lines, "\n")
}

// ReadFile reads a schema from JSON: an object with fields and, where wanted,
// name, settings and hooks. Errors are an *InvalidError where the document is
// JSON but no schema, or say, wrapped, why it is no JSON or cannot be read.
func ReadFile(r io.Reader) (*intray.Schema, error) {
	_, s, err := ReadDoc(r)
	return s, err
}

// ReadDoc is ReadFile, and gives the document as it is written, too: with the
// settings that only an import in a browser obeys, and without defaults. The
// document is empty where there is an error.
func ReadDoc(r io.Reader) (Doc, *intray.Schema, error) { return readDoc(r, Parse) }

// ReadNames reads a saved schema for what columns are matched by: keys, labels,
// types and alternate matches. Whether its rules and options could be kept is
// not looked at, so that a schema under way can be tried on files.
func ReadNames(r io.Reader) (*intray.Schema, error) {
	_, s, err := readDoc(r, names)
	return s, err
}

func readDoc(r io.Reader, parse func(Doc) (*intray.Schema, []Issue)) (Doc, *intray.Schema, error) {
	v, err := shape.Decode(r, shape.Limits{MaxBytes: MaxFileBytes})
	if err != nil {
		return Doc{}, nil, fmt.Errorf("reading the schema: %w", err)
	}
	if issues := FileShape().Check(v); len(issues) > 0 {
		return Doc{}, nil, &InvalidError{Issues: issues}
	}
	whole, _ := v.(map[string]any)
	doc := Doc{Name: text(whole, "name"), Fields: whole["fields"], Settings: whole["settings"], Hooks: whole["hooks"]}
	s, issues := parse(doc)
	if len(issues) > 0 {
		return Doc{}, nil, &InvalidError{Issues: issues}
	}
	return doc, s, nil
}

// names is Parse without what concerns the cells.
func names(doc Doc) (*intray.Schema, []Issue) {
	whole := doc.object()
	if issues := FileShape().Check(whole); len(issues) > 0 {
		return nil, issues
	}
	p := &parser{keys: map[string]int{}}
	s := &intray.Schema{Name: doc.Name, Fields: p.fields(elements(whole, "fields"))}
	for i, f := range s.Fields {
		p.checkKey(i, f.Key)
	}
	return s, p.issues
}
