// Package schema reads schemas from JSON.
//
//   - A [Doc] is a schema as it was sent: a name, and decoded JSON documents for the fields,
//     the settings, the hooks and the extensions. It is stored and returned unchanged.
//   - [Parse] returns the [intray.Schema] that a Doc describes, with defaults filled in, or
//     the issues in the Doc.
//   - The shapes ([FieldsShape], [SettingsShape], [HooksShape], [FileShape]) list
//     everything that a Doc may contain. Anything else is rejected.
//
// The package does not run hooks, check their syntax or store schemas, and does not know
// their owners.
package schema

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// Issue is an error in a document: a path, such as fields[1].type, and a message.
type Issue = jsonschema.Issue

// Doc is a schema as it was sent. The documents are decoded JSON, as returned by
// encoding/json or jsonschema.Decode. They are nil if they were not sent.
type Doc struct {
	// Name is "" if no name was sent.
	Name                    string
	Fields, Settings, Hooks any
	// Extensions are what goes beyond the other documents; see ExtensionsShape.
	Extensions any
}

// Merge returns the combination of the documents saved and over. Settings and hooks are merged
// by their top-level keys: a key in over replaces the same key in saved, even with null, and all
// other keys stay. The fields and the name in over apply only if saved has none. Merge does not
// change its arguments. The result shares their values.
func Merge(saved, over Doc) Doc {
	merged := saved
	merged.Name = cmp.Or(merged.Name, over.Name)
	if merged.Fields == nil {
		merged.Fields = over.Fields
	}
	merged.Settings = mergeKeys(saved.Settings, over.Settings)
	merged.Hooks = mergeKeys(saved.Hooks, over.Hooks)
	merged.Extensions = mergeKeys(saved.Extensions, over.Extensions)
	return merged
}

// mergeKeys merges two objects by their keys. If over is nil because it was not sent, mergeKeys
// returns saved. If either of them is not an object, it returns over. The shapes reject
// documents of the wrong type.
func mergeKeys(saved, over any) any {
	if over == nil {
		return saved
	}
	from, isObject := over.(map[string]any)
	base, hasBase := saved.(map[string]any)
	if !isObject || !hasBase {
		return over
	}
	merged := maps.Clone(base)
	maps.Copy(merged, from)
	return merged
}

// Normalize returns fields as the API returns them: each with a type ("string" if none was
// sent) and validators ([] if none were sent). Everything else is as it was sent. Normalize
// does not change its argument.
func Normalize(fields any) any {
	given, ok := fields.([]any)
	if !ok {
		return fields
	}
	shown := make([]any, len(given))
	for i, f := range given {
		shown[i] = normalizeField(f)
	}
	return shown
}

func normalizeField(field any) any {
	given, ok := field.(map[string]any)
	if !ok {
		return field
	}
	shown := maps.Clone(given)
	if _, there := shown["type"]; !there {
		shown["type"] = "string"
	}
	if _, there := shown["validators"]; !there {
		shown["validators"] = []any{}
	}
	return shown
}

// asObject returns the document as a JSON object that contains the parts that were sent.
func (d Doc) asObject() map[string]any {
	whole := map[string]any{}
	for name, part := range map[string]any{"fields": d.Fields, "settings": d.Settings, "hooks": d.Hooks, "extensions": d.Extensions} {
		if part != nil {
			whole[name] = part
		}
	}
	if d.Name != "" {
		whole["name"] = d.Name
	}
	return whole
}

// MaxFileBytes is the maximum size of a schema file in bytes: 16 MiB.
const MaxFileBytes = 16 << 20

// InvalidError reports an invalid schema. The error text has one line for each issue, with
// the path.
type InvalidError struct{ Issues []Issue }

func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		lines[i] = issue.String()
	}
	return strings.Join(lines, "\n")
}

// ReadFile reads a schema from a file, like [Read].
func ReadFile(name string) (*intray.Schema, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	s, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// Read reads a schema from JSON: an object with fields and optionally name, settings, hooks and
// extensions. It returns an *InvalidError if the document is JSON but not a valid schema. It
// returns a different error if the document cannot be read.
func Read(r io.Reader) (*intray.Schema, error) {
	_, s, err := ReadDoc(r)
	return s, err
}

// ReadDoc is like Read, but also returns the document unchanged: without defaults, and with
// the settings that only imports in a browser use. After an error, the document is empty.
func ReadDoc(r io.Reader) (Doc, *intray.Schema, error) { return readDoc(r, Parse) }

// ReadNames reads the parts of a schema that affect the mapping of columns: keys, labels,
// types and alternate matches. It does not check validators and options, so that you can
// test an unfinished schema on files.
func ReadNames(r io.Reader) (*intray.Schema, error) {
	_, s, err := readDoc(r, parseNames)
	return s, err
}

func readDoc(r io.Reader, parse func(Doc) (*intray.Schema, []Issue)) (Doc, *intray.Schema, error) {
	v, err := jsonschema.Decode(r, jsonschema.Limits{MaxBytes: MaxFileBytes})
	if err != nil {
		return Doc{}, nil, fmt.Errorf("read the schema: %w", err)
	}
	if issues := FileShape().Validate(v); len(issues) > 0 {
		return Doc{}, nil, &InvalidError{Issues: issues}
	}
	whole, _ := v.(map[string]any)
	doc := Doc{Name: stringMember(whole, "name"), Fields: whole["fields"], Settings: whole["settings"], Hooks: whole["hooks"], Extensions: whole["extensions"]}
	s, issues := parse(doc)
	if len(issues) > 0 {
		return Doc{}, nil, &InvalidError{Issues: issues}
	}
	return doc, s, nil
}

// parseNames is like Parse, but ignores everything that concerns only cells.
func parseNames(doc Doc) (*intray.Schema, []Issue) {
	whole := doc.asObject()
	if issues := FileShape().Validate(whole); len(issues) > 0 {
		return nil, issues
	}
	p := &parser{keys: map[string]int{}}
	s := &intray.Schema{Name: doc.Name, Fields: p.readFields(listMember(whole, "fields"))}
	for i, f := range s.Fields {
		p.checkKey(i, f.Key)
	}
	return s, p.issues
}
