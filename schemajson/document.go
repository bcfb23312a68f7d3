package schemajson

import (
	"maps"

	"github.com/intraydata/intray/internal/shape"
)

// Issue is one thing wrong with a document: a path such as fields[1].type, and
// a message to be read after it.
type Issue = shape.Issue

// Doc is a schema as it is written. The three documents are decoded JSON, as
// encoding/json or shape.Decode give it; nil where nothing was sent.
type Doc struct {
	// Name is "" where none was sent.
	Name                    string
	Fields, Settings, Hooks any
}

// Merge lays one document over another. Settings and hooks are merged key by
// key at their top level: a key of over replaces the saved one, also with null,
// and a key that over omits stays. Fields and name of over count only where
// saved has none. Neither argument is changed; the result shares their values.
func Merge(saved, over Doc) Doc {
	merged := saved
	if merged.Name == "" {
		merged.Name = over.Name
	}
	if merged.Fields == nil {
		merged.Fields = over.Fields
	}
	merged.Settings = mergeKeys(saved.Settings, over.Settings)
	merged.Hooks = mergeKeys(saved.Hooks, over.Hooks)
	return merged
}

// mergeKeys lets what is no object through, for the shapes to refuse.
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

// Normalize gives fields in the form in which they are shown: each has a type
// ("string" where none was sent) and validators ([] where none were sent).
// Everything else stays exactly as it was sent; the argument is not changed.
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

// object gives the document as one JSON object, without what was not sent.
func (d Doc) object() map[string]any {
	whole := map[string]any{}
	for name, part := range map[string]any{"fields": d.Fields, "settings": d.Settings, "hooks": d.Hooks} {
		if part != nil {
			whole[name] = part
		}
	}
	if d.Name != "" {
		whole["name"] = d.Name
	}
	return whole
}
