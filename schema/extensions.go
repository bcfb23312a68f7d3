package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

const (
	// maxMarkers is the maximum number of markers of missing values of a field.
	maxMarkers = 100
	// maxMarkerText is the maximum number of characters of a marker.
	maxMarkerText = 255
)

// ExtensionsShape returns the shape of the extensions of a schema: what goes beyond the fields,
// settings and hooks.
func ExtensionsShape() *jsonschema.Schema {
	marker := newShape(jsonschema.String, "")
	marker.MinLength, marker.MaxLength = 1, maxMarkerText
	field := objectShape("The extensions of a field.",
		optional("missingValues", listShape("The texts that mean an empty cell, in any case. They replace the markers that Intray knows. An empty list means none.", marker)),
		optional("lenient", boolShape("Only for checkbox. If true, all text is true, except 0, off, n, no, false and disabled.", false)),
	)
	return objectShape("The extensions of a schema.",
		optional("fields", &jsonschema.Schema{Kind: jsonschema.Map, Description: "The extensions of fields, by the keys of the fields.", Elem: field}))
}

// readExtensions adds the extensions to the fields. The document must match ExtensionsShape.
func readExtensions(fields []intray.Field, extensions map[string]any) {
	all, _ := extensions["fields"].(map[string]any)
	for i := range fields {
		f := &fields[i]
		given, has := all[f.Key].(map[string]any)
		if !has {
			continue
		}
		f.Lenient = boolMember(given, "lenient")
		if list, listed := given["missingValues"].([]any); listed {
			f.MissingValues = []string{}
			for _, one := range list {
				text, _ := one.(string)
				f.MissingValues = append(f.MissingValues, strings.TrimSpace(text))
			}
		}
	}
}

// checkExtensions checks that extensions belong to fields and suit their types.
func (p *parser) checkExtensions(fields []intray.Field, extensions map[string]any) {
	all, _ := extensions["fields"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		at := "extensions.fields." + shorten(key)
		i, known := p.keys[key]
		if !known {
			p.addUnknownField(at, key)
			continue
		}
		f := fields[i]
		if f.Lenient && f.Type.Name != intray.TypeCheckbox {
			p.addIssue(at+".lenient", intray.NewMessage("schema.lenient_without_checkbox", nil))
		}
		if len(f.MissingValues) > maxMarkers {
			p.addIssue(at+".missingValues", intray.NewMessage("schema.too_many_markers", intray.Params{"n": maxMarkers}))
		}
		if n := slices.Index(f.MissingValues, ""); n >= 0 {
			p.addIssue(at+"."+indexedPath("missingValues", n), intray.NewMessage("schema.blank_marker", nil))
		}
	}
}
