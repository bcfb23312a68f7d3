package apitest

import (
	"bytes"
	_ "embed" // the schema of OpenAPI documents
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// openAPISchema is the JSON Schema of OpenAPI 3.1 documents,
// https://spec.openapis.org/oas/3.1/schema/2026-08-03, by the OpenAPI Initiative under the
// Apache License 2.0. It does not validate the content of Schema Objects.
//
//go:embed testdata/openapi-3.1.json
var openAPISchema []byte

// openAPI30Schema is the JSON Schema of OpenAPI 3.0 documents,
// https://spec.openapis.org/oas/3.0/schema/2021-09-28, by the OpenAPI Initiative under the Apache
// License 2.0.
//
//go:embed testdata/openapi-3.0.json
var openAPI30Schema []byte

// Document is the OpenAPI document of a site.
type Document struct {
	OpenAPI    string                          `json:"openapi"`
	Paths      map[string]map[string]Operation `json:"paths"`
	Components struct {
		Schemas         map[string]Schema         `json:"schemas"`
		SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
	} `json:"components"`
	// List contains every operation, sorted by path and method.
	List []Operation `json:"-"`

	whole    any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	// compiled contains schemas by their JSON pointers.
	compiled map[string]*jsonschema.Schema
}

// Operation is one documented operation.
type Operation struct {
	Method, Path string                `json:"-"`
	OperationID  string                `json:"operationId"`
	Summary      string                `json:"summary"`
	Deprecated   bool                  `json:"deprecated"`
	Security     []map[string][]string `json:"security"`
	Parameters   []Parameter           `json:"parameters"`
	RequestBody  Body                  `json:"requestBody"`
	Responses    map[string]Body       `json:"responses"`
}

// Parameter is a documented parameter of an operation.
type Parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
}

// Body is the content of a documented request or response, by media type.
type Body struct {
	Content map[string]struct {
		Schema any `json:"schema"`
	} `json:"content"`
}

// Schema contains the properties of a Schema Object that tests read.
type Schema struct {
	Properties           map[string]any `json:"properties"`
	AdditionalProperties any            `json:"additionalProperties"`
}

// SecurityScheme describes how a client authenticates.
type SecurityScheme struct {
	In   string `json:"in"`
	Name string `json:"name"`
}

// documentURL is the base URL of the JSON pointers in a document.
const documentURL = "http://intray.test/openapi.json"

// ParseDocument decodes an OpenAPI document. It checks only the properties that it decodes.
// See Validate for a full check.
//
// The document lets responses have further properties, so that clients expect those of later
// versions. The schemas of the result do not, so that tests notice a property that is not documented.
func ParseDocument(text []byte) (*Document, error) {
	d := &Document{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			operation := d.Paths[path][method]
			operation.Method, operation.Path = strings.ToUpper(method), path
			d.List = append(d.List, operation)
		}
	}
	var err error
	if d.whole, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	closeObjects(d.whole)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	return d, d.compiler.AddResource(documentURL, d.whole)
}

// closeObjects forbids further properties in all objects of a document whose schemas list
// properties and do not allow others explicitly.
func closeObjects(value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			closeObjects(one)
		}
	case map[string]any:
		_, lists := v["properties"].(map[string]any)
		if _, says := v["additionalProperties"]; lists && !says && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, one := range v {
			closeObjects(one)
		}
	}
}

// Validate checks the document against the schema of OpenAPI 3.1, and against rules that
// the schema cannot express: each Schema Object is a valid JSON Schema and its references
// resolve, examples and defaults match their schema, operation ids are unique, path
// parameters match the path, and security schemes exist.
func (d *Document) Validate() error {
	if err := validateAgainst(openAPISchema, d.whole); err != nil {
		return err
	}
	var all []error
	seen := map[string]string{}
	for _, o := range d.List {
		if first := seen[o.OperationID]; first != "" || o.OperationID == "" {
			all = append(all, fmt.Errorf("%s %s: the operation id %q is empty or that of %s", o.Method, o.Path, o.OperationID, first))
		}
		seen[o.OperationID] = o.Method + " " + o.Path
		all = append(all, o.validateParameters())
		for _, requirement := range o.Security {
			for name := range requirement {
				if _, known := d.Components.SecuritySchemes[name]; !known {
					all = append(all, fmt.Errorf("%s: no security scheme %q", o.OperationID, name))
				}
			}
		}
	}
	all = append(all, d.validateSchemas(d.whole, ""))
	return errors.Join(all...)
}

// Validate30 checks an OpenAPI 3.0 document against the schema of OpenAPI 3.0, and that its references
// resolve.
func Validate30(text []byte) error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := validateAgainst(openAPI30Schema, document); err != nil {
		return err
	}
	var d Document
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	var all []error
	for _, reference := range referencePattern.FindAllSubmatch(text, -1) {
		if _, known := d.Components.Schemas[string(reference[1])]; !known {
			all = append(all, fmt.Errorf("no schema %s", reference[1]))
		}
	}
	return errors.Join(all...)
}

var referencePattern = regexp.MustCompile(`"#/components/schemas/([^"]*)"`)

// validateAgainst validates a document against a JSON Schema.
func validateAgainst(schema []byte, document any) error {
	meta, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi-schema.json", meta); err != nil {
		return err
	}
	compiled, err := compiler.Compile("openapi-schema.json")
	if err != nil {
		return err
	}
	return compiled.Validate(document)
}

// validateParameters checks that an operation declares each parameter of its path exactly
// once, as required, and no other path parameters.
func (o Operation) validateParameters() error {
	var documented []string
	seen := map[Parameter]bool{}
	for _, p := range o.Parameters {
		key := Parameter{Name: p.Name, In: p.In}
		if seen[key] {
			return fmt.Errorf("%s: the parameter %s is documented twice", o.OperationID, p.Name)
		}
		seen[key] = true
		if p.In == "path" && p.Required {
			documented = append(documented, "{"+p.Name+"}")
		}
	}
	want := pathParameter.FindAllString(o.Path, -1)
	slices.Sort(documented)
	slices.Sort(want)
	if !slices.Equal(documented, want) {
		return fmt.Errorf("%s: the required path parameters are %q, those of the path %q", o.OperationID, documented, want)
	}
	return nil
}

// validateSchemas checks all Schema Objects inside the value at a JSON pointer.
func (d *Document) validateSchemas(value any, pointer string) error {
	var all []error
	switch v := value.(type) {
	case []any:
		for i, one := range v {
			all = append(all, d.validateSchemas(one, fmt.Sprintf("%s/%d", pointer, i)))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := pointer + "/" + escapePointer(name)
			switch {
			case name == "schema":
				all = append(all, d.validateSchema(v[name], below))
			case below == "/components/schemas":
				schemas, _ := v[name].(map[string]any)
				for _, part := range slices.Sorted(maps.Keys(schemas)) {
					all = append(all, d.validateSchema(schemas[part], below+"/"+escapePointer(part)))
				}
			default:
				all = append(all, d.validateSchemas(v[name], below))
			}
		}
	}
	return errors.Join(all...)
}

// validateSchema compiles a Schema Object. It checks the examples and defaults of the
// object and of the schemas inside it.
func (d *Document) validateSchema(schema any, pointer string) error {
	compiled, err := d.compile(pointer)
	if err != nil {
		return err
	}
	object, _ := schema.(map[string]any)
	values, _ := object["examples"].([]any)
	for _, name := range []string{"default", "example"} {
		if value, has := object[name]; has {
			values = append(values, value)
		}
	}
	var all []error
	for _, value := range values {
		if err := compiled.Validate(value); err != nil {
			all = append(all, fmt.Errorf("the example %v: %w", value, err))
		}
	}
	for _, name := range []string{"items", "additionalProperties", "not", "propertyNames", "contains"} {
		if _, is := object[name].(map[string]any); is {
			all = append(all, d.validateSchema(object[name], pointer+"/"+name))
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := object[name].([]any)
		for i, one := range list {
			all = append(all, d.validateSchema(one, fmt.Sprintf("%s/%s/%d", pointer, name, i)))
		}
	}
	for _, name := range []string{"properties", "patternProperties", "$defs"} {
		schemas, _ := object[name].(map[string]any)
		for key, one := range schemas {
			all = append(all, d.validateSchema(one, pointer+"/"+name+"/"+escapePointer(key)))
		}
	}
	return errors.Join(all...)
}

// escapePointer escapes a name for a JSON pointer in a URL fragment.
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
}

// compile returns the schema at a JSON pointer. The schema checks formats. compile is safe
// for concurrent use.
func (d *Document) compile(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if compiled := d.compiled[pointer]; compiled != nil {
		return compiled, nil
	}
	compiled, err := d.compiler.Compile(documentURL + "#" + pointer)
	if err == nil {
		d.compiled[pointer] = compiled
	}
	return compiled, err
}

// responseSchema returns the documented schema of a JSON response.
func (d *Document) responseSchema(o Operation, status string) (*jsonschema.Schema, error) {
	compiled, err := d.compile(fmt.Sprintf("/paths/%s/%s/responses/%s/content/application~1json/schema", escapePointer(o.Path), strings.ToLower(o.Method), status))
	if err != nil {
		return nil, fmt.Errorf("the schema of %s with %s: %w", o.OperationID, status, err)
	}
	return compiled, nil
}

// FindOperation returns the operation that matches a request. If several match, it returns
// the one with the fewest path parameters.
func (d *Document) FindOperation(method, path string) (best Operation, ok bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	fewest := -1
	for _, o := range d.List {
		n := len(pathParameter.FindAllString(o.Path, -1))
		if o.Method == method && MatchesTemplate(o.Path, path) && (fewest < 0 || n < fewest) {
			best, fewest = o, n
		}
	}
	return best, fewest >= 0
}

// CheckEvent describes how a webhook message differs from the document, or returns "".
func (d *Document) CheckEvent(event string, body []byte) string {
	schema, err := d.compile(fmt.Sprintf("/webhooks/%s/post/requestBody/content/application~1json/schema", escapePointer(event)))
	if err != nil {
		return fmt.Sprintf("the schema of the event %s: %v", event, err)
	}
	value, err := Decode(body)
	if err != nil {
		return fmt.Sprintf("the message is not JSON: %v", err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Sprintf("the message is not as documented for %s: %.1500v", event, err)
	}
	return ""
}
