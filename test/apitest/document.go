package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/intraydata/intray/test/livetest"
)

// Document is what a site says of its own operations.
type Document struct {
	*openapi3.T
	// List has every operation, in the order of paths and methods.
	List []Operation

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	// compiled are schemas by their place.
	compiled map[string]*jsonschema.Schema
}

// Operation is one documented operation.
type Operation struct {
	Method, Path string
	*openapi3.Operation
}

func readDocument(t testing.TB, s *livetest.Server) *Document {
	t.Helper()
	text := s.Call(t, "GET", "/openapi.json", nil, "X-Service-License-Key", "").WantStatus(http.StatusOK).Body
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatalf("/openapi.json does not load: %v", err)
	}
	d := &Document{T: doc, compiler: newCompiler(t, text), compiled: map[string]*jsonschema.Schema{}}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		operations := paths[path].Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			d.List = append(d.List, Operation{method, path, operations[method]})
		}
	}
	return d
}

// SecurityScheme gives the name of the security scheme of an operation, or "".
func (o Operation) SecurityScheme() string {
	if o.Security == nil {
		return ""
	}
	for _, requirement := range *o.Security {
		for name := range requirement {
			return name
		}
	}
	return ""
}

// HasSignedPath says whether the address of an operation carries its right.
func (o Operation) HasSignedPath() bool {
	return strings.HasPrefix(o.Path, "/upload/") || strings.HasPrefix(o.Path, "/download/")
}

var inBraces = regexp.MustCompile(`\{\w+\}`)

// PathWithID gives the path with an id in place of each parameter.
func (o Operation) PathWithID(id string) string { return inBraces.ReplaceAllLiteralString(o.Path, id) }

// HasPathParameter says whether the path has a parameter.
func (o Operation) HasPathParameter() bool { return inBraces.MatchString(o.Path) }

// WithSecurity lists the operations behind a security scheme.
func (d *Document) WithSecurity(scheme string) (list []Operation) {
	for _, o := range d.List {
		if o.SecurityScheme() == scheme {
			list = append(list, o)
		}
	}
	return list
}

// FindOperation gives the operation that a request names, the one with the fewest
// parameters in its path where several fit.
func (d *Document) FindOperation(method, path string) (best Operation, ok bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	fewest := -1
	for _, o := range d.List {
		n := len(inBraces.FindAllString(o.Path, -1))
		if o.Method == method && MatchesTemplate(o.Path, path) && (fewest < 0 || n < fewest) {
			best, fewest = o, n
		}
	}
	return best, fewest >= 0
}

// MatchesTemplate says whether a path is one of a template, with or without a slash at the
// end.
func MatchesTemplate(template, path string) bool {
	want := strings.Split(strings.TrimSuffix(template, "/"), "/")
	got := strings.Split(strings.TrimSuffix(path, "/"), "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}

// checkConformance says why an answer is not what the document promises, or "".
func (d *Document) checkConformance(o Operation, status int, contentType string, body []byte) string {
	response := o.Responses.Status(status)
	if response == nil || response.Value == nil {
		return fmt.Sprintf("the document has no status %d for %s", status, o.OperationID)
	}
	switch content := response.Value.Content; {
	case len(content) == 0 && len(body) > 0:
		return fmt.Sprintf("the document has no body for %s with %d", o.OperationID, status)
	case content["application/json"] == nil:
		return ""
	case contentType != "application/json":
		return fmt.Sprintf("the Content-Type is %q", contentType)
	}
	schema, err := d.schema(o, status)
	if err != nil {
		return err.Error()
	}
	value, err := Decode(body)
	if err != nil {
		return fmt.Sprintf("the body is no JSON: %v", err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Sprintf("the body is not as documented for %s: %.1500v", o.OperationID, err)
	}
	return ""
}

// schema gives the documented schema of an answer. Formats count.
func (d *Document) schema(o Operation, status int) (*jsonschema.Schema, error) {
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace
	place := fmt.Sprintf("%s#/paths/%s/%s/responses/%d/content/application~1json/schema", documentURL, escape(o.Path), strings.ToLower(o.Method), status)
	d.mu.Lock()
	defer d.mu.Unlock()
	if compiled := d.compiled[place]; compiled != nil {
		return compiled, nil
	}
	compiled, err := d.compiler.Compile(place)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s with %d: %w", o.OperationID, status, err)
	}
	d.compiled[place] = compiled
	return compiled, nil
}

const documentURL = "http://intray.test/openapi.json"

// newCompiler reads schemas at their places in a document.
func newCompiler(t testing.TB, text []byte) *jsonschema.Compiler {
	t.Helper()
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentURL, whole); err != nil {
		t.Fatal(err)
	}
	return compiler
}

// Decode reads the one JSON value of a body.
func Decode(body []byte) (value any, err error) {
	in := json.NewDecoder(bytes.NewReader(body))
	if err := in.Decode(&value); err != nil {
		return nil, err
	}
	if in.More() {
		return nil, fmt.Errorf("something follows the value")
	}
	return value, nil
}
