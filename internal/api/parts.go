package api

import (
	"encoding/json"

	"github.com/intraydata/intray/internal/shape"
	"github.com/intraydata/intray/schemajson"
)

// parts are the shapes that the document describes once, by name, and refers to
// wherever they occur.
type parts struct {
	named []namedShape
	// names gives the name of a part by the text of its JSON Schema.
	names map[string]string
}

type namedShape struct {
	name   string
	schema map[string]any
}

// newParts names the shapes, the smaller before the larger ones that hold them.
func newParts() *parts {
	p := &parts{names: map[string]string{}}
	for _, part := range []struct {
		name string
		of   *shape.Shape
	}{
		{"Fields", schemajson.FieldsShape()}, {"Settings", schemajson.SettingsShape()}, {"Hooks", schemajson.HooksShape()},
		{"Message", messageShape()}, {"User", userAnswer()}, {"Notice", noticeAnswer()}, {"ResultMetadata", orNull(resultMetadataShape())},
		{"Import", importAnswer()}, {"ImportListItem", importListItem()}, {"Schema", schemaAnswer()},
		{"SchemaDraft", schemaBody()}, {"Upload", uploadAnswer()}, {"SftpCredential", credentialAnswer()}, {"SftpCredentialDraft", credentialBody()},
		{"ReviewTable", deskTableAnswer()}, {"ReviewRows", deskWindowAnswer()},
	} {
		schema := part.of.JSONSchema()
		p.names[key(schema)] = part.name
		p.named = append(p.named, namedShape{part.name, schema})
	}
	return p
}

func key(schema any) string {
	text, err := json.Marshal(schema)
	if err != nil {
		return ""
	}
	return string(text)
}

// schemas gives the parts, each referring to the others.
func (p *parts) schemas() map[string]any {
	all := map[string]any{}
	for _, part := range p.named {
		inner := map[string]any{}
		for name, value := range part.schema {
			inner[name] = p.refer(value)
		}
		all[part.name] = inner
	}
	return all
}

// refer gives value with a reference in place of each part in it.
func (p *parts) refer(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if name, ok := p.names[key(v)]; ok {
			return map[string]any{"$ref": "#/components/schemas/" + name}
		}
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[name] = p.refer(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = p.refer(inner)
		}
		return out
	}
	return value
}
