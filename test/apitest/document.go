package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

func readDocument(t testing.TB, s *livetest.Server) *Document {
	t.Helper()
	text := s.Call(t, "GET", "/openapi.json", nil, "X-Service-License-Key", "").WantStatus(http.StatusOK).Body
	d, err := ParseDocument(text)
	if err != nil {
		t.Fatalf("/openapi.json does not load: %v", err)
	}
	return d
}

// SecurityScheme returns the name of the operation's security scheme, or "".
func (o Operation) SecurityScheme() string {
	for _, requirement := range o.Security {
		for name := range requirement {
			return name
		}
	}
	return ""
}

// HasSignedPath reports whether the URL alone authorizes the operation.
func (o Operation) HasSignedPath() bool {
	return strings.HasPrefix(o.Path, "/upload/") || strings.HasPrefix(o.Path, "/download/")
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// PathWithID returns the path with each parameter replaced by id.
func (o Operation) PathWithID(id string) string {
	return pathParameter.ReplaceAllLiteralString(o.Path, id)
}

// HasPathParameter reports whether the path has a parameter.
func (o Operation) HasPathParameter() bool { return pathParameter.MatchString(o.Path) }

// WithSecurity returns the operations that use a security scheme.
func (d *Document) WithSecurity(scheme string) (list []Operation) {
	for _, o := range d.List {
		if o.SecurityScheme() == scheme {
			list = append(list, o)
		}
	}
	return list
}

// MatchesTemplate reports whether a path matches a template. Both may have a trailing slash.
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

// checkConformance describes how a response differs from the document, or returns "".
func (d *Document) checkConformance(o Operation, status int, contentType string, body []byte) string {
	response, documented := o.Responses[strconv.Itoa(status)]
	if !documented {
		return fmt.Sprintf("the document has no status %d for %s", status, o.OperationID)
	}
	switch _, isJSON := response.Content["application/json"]; {
	case len(response.Content) == 0 && len(body) > 0:
		return fmt.Sprintf("the document has no body for %s with %d", o.OperationID, status)
	case !isJSON:
		return ""
	case contentType != "application/json":
		return fmt.Sprintf("the Content-Type is %q", contentType)
	}
	schema, err := d.responseSchema(o, strconv.Itoa(status))
	if err != nil {
		return err.Error()
	}
	value, err := Decode(body)
	if err != nil {
		return fmt.Sprintf("the body is not JSON: %v", err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Sprintf("the body is not as documented for %s: %.1500v", o.OperationID, err)
	}
	return ""
}

// Decode decodes a body that must contain exactly one JSON value.
func Decode(body []byte) (value any, err error) {
	in := json.NewDecoder(bytes.NewReader(body))
	if err := in.Decode(&value); err != nil {
		return nil, err
	}
	if in.More() {
		return nil, fmt.Errorf("decode JSON: data after the first value")
	}
	return value, nil
}
