package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/webhooks"
)

// The following functions are shorthands for building schemas.

// namedType returns the schema of an object with a name in the OpenAPI document.
func namedType(name, doc string, props ...jsonschema.Property) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Object, Name: name, Description: doc, Properties: props}
}

// bodyType returns the schema of the body of a request. The example must match it.
func bodyType(name, doc string, example map[string]any, props ...jsonschema.Property) *jsonschema.Schema {
	s := namedType(name, doc, props...)
	s.Example = example
	return s
}

func required(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Required: true, Schema: s}
}

func optional(name string, s *jsonschema.Schema) jsonschema.Property {
	return jsonschema.Property{Name: name, Schema: s}
}

func stringType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc}
}

// lineType returns the schema of a string without control characters, which is safe
// in a header or a log line.
func lineType(doc string, maxLength int) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, NoControl: true, MaxLength: maxLength}
}

func uuidType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Format: "uuid", Description: doc}
}

// exampleID is the example of a UUID in request bodies.
const exampleID = "0f8fad5b-d9cb-469f-a165-70867728950e"

// uriType returns the schema of an absolute URL.
func uriType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Format: "uri", Description: doc}
}

// timeType returns the schema of a date and time as in RFC 3339.
func timeType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Format: "date-time", Description: doc}
}

func countType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Integer, Min: jsonschema.Bound(0), Description: doc}
}

func boolType(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Bool, Description: doc}
}

func enumType(doc string, values ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Enum: values, Description: doc}
}

func arrayType(of *jsonschema.Schema, doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Array, Elem: of, Description: doc}
}

func mapType(of *jsonschema.Schema, doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.Map, Elem: of, Description: doc}
}

func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	with := *s
	with.Nullable = true
	return &with
}

// messageShape returns the schema of an [intray.Message].
func messageShape() *jsonschema.Schema {
	return namedType("Message", "A message: a code with its parameters, or a text that is the same in all languages.",
		optional("code", stringType("The code of the sentence.")), optional("params", paramsShape()), optional("text", stringType("The text, if there is no code.")))
}

func paramsShape() *jsonschema.Schema {
	return mapType(nil, "The parameters of the sentence by name: strings, numbers, messages, or lists of strings or messages.")
}

const codeDoc = "The code of the sentence. Missing if an organization wrote the text."

// shapeOf returns the schema of the JSON that encoding/json writes for a T. It uses
// the tags of package wire, and panics if a tag names an unknown schema.
func shapeOf[T any]() *jsonschema.Schema { return shapeOfType(reflect.TypeFor[T](), "") }

// shapeOfType returns the schema of a Go type. If name is not "", it is the name of
// the schema of the value or of its elements.
func shapeOfType(t reflect.Type, name string) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[intray.Message]():
		return messageShape()
	case t.Kind() == reflect.Pointer:
		return nullable(shapeOfType(t.Elem(), name))
	case t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]():
		return arrayType(shapeOfType(t.Elem(), name), "")
	case name != "":
		return namedSchema(name)
	}
	switch t.Kind() {
	case reflect.Struct:
		return shapeOfStruct(t)
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return mapType(nil, "")
		}
		return mapType(shapeOfType(t.Elem(), ""), "")
	case reflect.String:
		return stringType("")
	case reflect.Bool:
		return boolType("")
	case reflect.Float64:
		return &jsonschema.Schema{Kind: jsonschema.Number}
	case reflect.Int, reflect.Int64:
		return countType("")
	}
	panic(fmt.Sprintf("httpapi: no schema for the Go type %s", t))
}

// shapeOfStruct returns the schema of a struct, which has the name of the type unless a tag has
// another. It includes the properties of embedded structs.
func shapeOfStruct(t reflect.Type) *jsonschema.Schema {
	object := namedType(t.Name(), "")
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Name == "_":
			object.Name, object.Description = cmp.Or(f.Tag.Get("name"), object.Name), f.Tag.Get("doc")
			continue
		case f.Anonymous:
			object.Properties = append(object.Properties, shapeOfStruct(f.Type).Properties...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		word := f.Tag.Get("schema")
		shape := shapeOfType(f.Type, strings.TrimPrefix(word, "nullable"))
		shape.Nullable = options == "" && (shape.Nullable || word == "nullable")
		switch doc := f.Tag.Get("doc"); {
		case shape.Name != "":
			shape.Role = doc
		case doc != "":
			shape.Description = strings.TrimSpace(doc + " " + shape.Description)
		}
		object.Properties = append(object.Properties, jsonschema.Property{Name: name, Required: options == "", Schema: shape})
	}
	if generic, _, is := strings.Cut(t.Name(), "["); is { // a Page, which is named after its elements
		object.Name = strings.TrimSuffix(object.Property("results").Elem.Name, "ListItem") + generic
	}
	return object
}

// namedSchema returns the schema with the name used in a tag.
func namedSchema(name string) *jsonschema.Schema {
	switch name {
	case "uuid":
		return uuidType("")
	case "time":
		s := timeType("ISO 8601 in UTC with microseconds.")
		s.Example = "2026-11-21T09:30:00.000000Z"
		return s
	case "uri":
		return uriType("")
	case "code":
		return stringType(codeDoc)
	case "params":
		return paramsShape()
	case "fields":
		return schema.FieldsShape()
	case "settings":
		return schema.SettingsShape()
	case "hooks":
		return schema.HooksShape()
	case "page":
		return schema.PageShape()
	case "event_import":
		return importOfEvent()
	case "event":
		return eventType()
	}
	values, known := namedEnums[name]
	if !known {
		panic(fmt.Sprintf("httpapi: unknown schema %q in a tag", name))
	}
	s := enumType("", values...)
	s.Name = enumNames[name]
	return s
}

// eventType returns the schema of the name of an event.
func eventType() *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Name: "EventName", Description: "The name of an event.", Enum: webhooks.Events()}
}

// enumNames maps the names of enumerations that occur in several objects, as used in tags, to
// their names in the OpenAPI document.
var enumNames = map[string]string{
	"level": "Level", "notice": "NoticeType", "status": "ImportStatus", "deleted_part": "DeletedPartName",
}

// namedEnums maps the names of enumerations, as used in tags, to their values.
var namedEnums = map[string][]string{
	"auth_type":       {"PASSWORD", "KEY", "KEY_AND_PASSWORD"},
	"decided":         {"person", "file"},
	"deleted_part":    {"original", "result", "problems"},
	"deletion_reason": {"asked for", "retention"},
	"delivery_status": {"WAITING", "DELIVERED", "FAILED"},
	"health":          {"ok"},
	"import_type":     {"HEADLESS", "EMBEDDED"},
	"learned_kind":    {"column", "value"},
	"level":           {"error", "warning", "info"},
	"link_status":     {string(model.LinkActive), string(model.LinkExpired), string(model.LinkUsedUp)},
	"manual_input":    {"allowed", "only", "disabled"},
	"notice": {
		"EMPTY_FILE", "UNREADABLE_FILE", "TOO_LARGE", "ENCODING_UNCERTAIN", "HEADER_ROW_UNCERTAIN",
		"SHEET_UNCERTAIN", "OTHER_TABLES", "UNMAPPED_FIELDS", "COLUMN_CONFLICT", "AMBIGUOUS_COLUMN", "VALUE_MAPPED",
		"VALIDATION", "REPAIRED_ROW", "MAX_RECORDS", "NO_ROWS", "ALL_ROWS_REMOVED", "HOOK_FAILED", "CANCELLED_BY_HOOK", "TRUNCATED",
	},
	"schedule_type":          {everyMinutes, dailyAt},
	"result_delivery_status": {string(model.Waiting), string(model.Delivered), string(model.GivenUp)},
	"status":                 {"AWAITING_UPLOAD", "PENDING", "RUNNING", "SUCCESSFUL", "FAILED", "NEEDS_REVIEW"},
	"sync_mode":              {string(model.SyncDisabled), string(model.SyncMappings), string(model.SyncFull)},
	"step":                   {"read", "map", "parse", "check", "output"},
	"upload_status":          {"PENDING_UPLOAD", "PROCESSING", "PROCESSED", "FAILED"},
}
