package schema

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

const (
	// maxMarkers is the maximum number of markers of missing values of a field.
	maxMarkers = 100
	// maxMarkerText and maxLabelText are the maximum numbers of characters of a marker and of a label.
	maxMarkerText, maxLabelText = 255, 1024
	// maxDescriptionText is the maximum number of characters of a description in another language.
	maxDescriptionText = 4096
	// maxLabels is the maximum number of languages of a label or a description.
	maxLabels = 100
)

// ExtensionsShape returns the shape of the extensions of a schema: what goes beyond the fields,
// settings and hooks.
func ExtensionsShape() *jsonschema.Schema {
	marker := newShape(jsonschema.String, "")
	marker.MinLength, marker.MaxLength = 1, maxMarkerText
	label := newShape(jsonschema.String, "")
	label.MinLength, label.MaxLength = 1, maxLabelText
	description := newShape(jsonschema.String, "")
	description.MaxLength = maxDescriptionText
	field := named("FieldExtensions", objectShape("The extensions of a field.",
		optional("labels", &jsonschema.Schema{Kind: jsonschema.Map, Description: "The label in other languages, by language tag (BCP 47). Headers are compared with these labels, too.", Elem: label}),
		optional("descriptions", &jsonschema.Schema{Kind: jsonschema.Map, Description: "The description in other languages, by language tag (BCP 47).", Elem: description}),
		optional("missingValues", listShape("The texts that mean an empty cell, in any case. They replace the markers that Intray knows. An empty list means none.", marker)),
		optional("lenient", boolShape("Only for checkbox. If true, all text is true, except 0, off, n, no, false and disabled.", false)),
	))
	all := named("SchemaExtensions", objectShape("The extensions of a schema.",
		optional("fields", &jsonschema.Schema{Kind: jsonschema.Map, Description: "The extensions of fields, by the keys of the fields.", Elem: field}),
		optional("page", PageShape())))
	all.Example = map[string]any{"fields": map[string]any{"email": map[string]any{"labels": map[string]any{"de": "E-Mail-Adresse"}, "missingValues": []any{"none"}}}}
	return all
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
		labels, _ := given["labels"].(map[string]any)
		for _, tag := range slices.Sorted(maps.Keys(labels)) {
			label, _ := labels[tag].(string)
			if label != f.Label && !slices.Contains(f.AlternateMatches, label) {
				f.AlternateMatches = append(f.AlternateMatches, label)
			}
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

// CheckExtensions returns the issues in the extensions of a saved schema. Their paths start in the
// extensions. doc contains the fields of the schema and the extensions.
func CheckExtensions(doc Doc) []Issue {
	if issues := ExtensionsShape().Validate(doc.Extensions); len(issues) > 0 {
		return issues
	}
	p := &parser{keys: map[string]int{}}
	fields := p.readFields(listMember(doc.asObject(), "fields"))
	for i, f := range fields {
		p.keys[f.Key] = i
	}
	extensions, _ := doc.Extensions.(map[string]any)
	readExtensions(fields, extensions)
	p.checkExtensions("", fields, extensions)
	return p.issues
}

// checkExtensions checks that extensions belong to fields and suit their types. prefix is the
// beginning of the paths of issues.
func (p *parser) checkExtensions(prefix string, fields []intray.Field, extensions map[string]any) {
	p.checkPage(prefix+"page.", extensions["page"])
	all, _ := extensions["fields"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		at := prefix + "fields." + shorten(key)
		i, known := p.keys[key]
		if !known {
			p.addUnknownField(at, key)
			continue
		}
		f := fields[i]
		p.checkTags(at, all[key], "labels")
		p.checkTags(at, all[key], "descriptions")
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

// checkTags checks that the texts by language with the given name in the extensions of a field have
// language tags.
func (p *parser) checkTags(at string, extensions any, name string) {
	of, _ := extensions.(map[string]any)
	texts, _ := of[name].(map[string]any)
	at += "." + name
	if len(texts) > maxLabels {
		p.addIssue(at, intray.NewMessage("schema.too_many_labels", intray.Params{"n": maxLabels}))
	}
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		if _, err := language.Parse(tag); err != nil {
			p.addIssue(at+"."+shorten(tag), intray.NewMessage("schema.invalid_language", nil))
		}
	}
}
