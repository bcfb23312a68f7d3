package apiclients_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

func TestMain(m *testing.M) {
	status := m.Run()
	livetest.Cleanup()
	os.Exit(status)
}

const (
	keyHeader = "X-Dromo-License-Key"
	jsonType  = "application/json"
)

// object is a JSON object.
type object = map[string]any

// program is a program that calls the API of one organization.
type program struct {
	t    testing.TB
	site *apitest.Site
	// api is the base URL of the API, without a trailing slash. It is all that changes between servers.
	api string
	key string
	// always contains names and values of headers that the program sends with every request.
	always []string
}

// each runs a test on each database, with a program of a new organization.
func each(t *testing.T, test func(p program)) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		test(program{t: t, site: s, api: s.URL + "/api/v1", key: s.NewOrg(t).BackendKey})
	})
}

var httpClient = &http.Client{Timeout: time.Minute}

// send sends a request and returns the body of the response. Like the programs, it follows redirects
// and fails if the status is not one of success. headers alternates names and values.
func (p program) send(method, address string, body io.Reader, headers ...string) []byte {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, address, body)
	if err != nil {
		p.t.Fatal(err)
	}
	headers = append(headers, p.always...)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := httpClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.site.CheckReply(p.t, response.Request, &livetest.Reply{Status: response.StatusCode, Header: response.Header, Body: text})
	if response.StatusCode < 200 || response.StatusCode > 299 {
		p.t.Fatalf("%s %s: status %d: %.2000s", method, address, response.StatusCode, text)
	}
	return text
}

// decode decodes a JSON document. It fails the test if the document does not have the type.
func decode[T any](t testing.TB, text []byte) (value T) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%v: %.2000s", err, text)
	}
	return value
}

func encode(t testing.TB, value any) io.Reader {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

// people returns the fields of the schema into which the tests import.
func people() []any {
	return []any{
		object{"key": "id", "label": "ID", "type": "string", "validators": []any{object{"validate": "required"}}},
		object{"key": "name", "label": "Name", "type": "string", "validators": []any{}},
		object{"key": "email", "label": "Email", "type": "email", "validators": []any{}},
	}
}

const (
	validFile   = "ID,Name,Email\n1,Ada,ada@example.org\n2,Ben,ben@example.org\n"
	invalidFile = "ID,Name,Email\n1,Ada,ada@example.org\n2,Ben,ben(at)example.org\n"
)

// validRows returns the rows of validFile, which are also those of invalidFile after it is fixed.
func validRows() []object {
	return []object{{"id": "1", "name": "Ada", "email": "ada@example.org"}, {"id": "2", "name": "Ben", "email": "ben@example.org"}}
}

// saveSchema saves a schema whose imports need a review if a row is invalid. The operator of the
// programs saves it before they run.
func (p program) saveSchema() (id, name string) {
	p.t.Helper()
	name = "People " + rand.Text()
	made := p.send("POST", p.api+"/schemas/", encode(p.t, object{
		"name": name, "fields": people(),
		"settings": object{"importIdentifier": "people", "invalidDataBehavior": "BLOCK_SUBMIT"},
	}), "Content-Type", jsonType, keyHeader, p.key)
	return decode[struct{ ID string }](p.t, made).ID, name
}
