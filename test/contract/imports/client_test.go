package imports_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
	"github.com/intraydata/intray/test/suite"
)

func TestMain(m *testing.M) {
	status := suite.Run(m, suite.Contract)
	livetest.Cleanup()
	os.Exit(status)
}

// m is a JSON object.
type m = map[string]any

const (
	importsPath = apitest.ImportsPath
	schemasPath = "/api/v1/schemas/"
	uploadPath  = "/api/v1/upload/"
	reviewPath  = "/api/review/v1/"
)

// client calls a site with one key and checks every response.
type client struct{ apitest.Client }

func backend(t testing.TB, s *apitest.Site) client { return client{s.Client(t, livetest.BackendKey)} }

// each runs a test on each database. All tests share one program per database.
func each(t *testing.T, test func(c client)) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) { test(backend(t, s)) })
}

// eachFresh runs a test on each database, on a new program with additional flags.
func eachFresh(t *testing.T, test func(c client), args ...string) {
	apitest.RunOnFreshDatabases(t, args, func(t *testing.T, s *apitest.Site) { test(backend(t, s)) })
}

// onSQLite returns a client for tests that are independent of the database.
func onSQLite(t *testing.T) client {
	t.Parallel()
	return backend(t, apitest.Shared(t, apitest.SQLite))
}

// refused sends a body that must be rejected. If field is not "", the error must have a
// message for it. refused returns the response as a string.
func (c client) refused(body any, status int, field string) string {
	c.T.Helper()
	reply := c.Call("POST", importsPath, body)
	if reply.Status != status {
		c.T.Errorf("status %d, want %d: %.300s\nanswer: %.600s", reply.Status, status, show(body), reply.Body)
		return ""
	}
	if field != "" && reply.Object()[field] == nil {
		c.T.Errorf("%.300s: no message about %q: %s", show(body), field, reply.Body)
	}
	return reply.Text()
}

func show(body any) string {
	if text, ok := body.(string); ok {
		return text
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// create creates an import and returns the response.
func (c client) create(body any) *livetest.Reply {
	c.T.Helper()
	return c.Call("POST", importsPath, body).WantStatus(http.StatusCreated)
}

func (c client) get(id string) *livetest.Reply {
	c.T.Helper()
	return c.Call("GET", importsPath+id+"/", nil)
}

func (c client) status(id string) string {
	c.T.Helper()
	return c.get(id).WantStatus(http.StatusOK).String("status")
}

// ended is an import that has ended or needs a review.
type ended struct {
	client
	id, status string
	doc        m
}

func (c client) ended(reply *livetest.Reply) ended {
	return ended{c, reply.String("id"), reply.String("status"), reply.Object()}
}

// await waits until the import ends or needs a review.
func (c client) await(id string) ended {
	c.T.Helper()
	return c.ended(c.AwaitImport(id))
}

// run creates an import, sends its file and waits until the import ends or needs a review.
func (c client) run(body m, file any) ended {
	c.T.Helper()
	return c.ended(c.Import(body, file))
}

// want fails the test if the import ended with a different status.
func (e ended) want(status string) ended {
	e.T.Helper()
	if e.status != status {
		e.T.Fatalf("the import is %s, want %s: %s", e.status, status, show(e.doc))
	}
	return e
}

// metadata returns result_metadata.
func (e ended) metadata() m {
	e.T.Helper()
	metadata, ok := e.doc["result_metadata"].(m)
	if !ok {
		e.T.Fatalf("result_metadata is not an object: %s", show(e.doc))
	}
	return metadata
}

// notices returns import_errors. A null becomes an empty list.
func (e ended) notices() []m {
	e.T.Helper()
	if e.doc["import_errors"] == nil {
		return nil
	}
	var list []m
	for _, n := range e.doc["import_errors"].([]any) {
		list = append(list, n.(m))
	}
	return list
}

// types returns the types of the notices, in order.
func (e ended) types() string {
	var types []string
	for _, n := range e.notices() {
		types = append(types, n["type"].(string))
	}
	return strings.Join(types, " ")
}

// result downloads the result in a format. If format is "", it omits the parameter.
func (e ended) result(format string) *livetest.Reply {
	e.T.Helper()
	query := ""
	if format != "" {
		query = "?format=" + format
	}
	address := e.Call("GET", importsPath+e.id+"/url/"+query, nil).WantStatus(http.StatusOK).String("presigned_url")
	return e.WithoutKey().Call("GET", address, nil).WantStatus(http.StatusOK)
}

// rows returns the result as compact JSON.
func (e ended) rows() string {
	e.T.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.want("SUCCESSFUL").result("").Body); err != nil {
		e.T.Fatal(err)
	}
	return compact.String()
}

// field returns a field definition. rules contains the names of its validators, which have no
// options.
func field(key, kind string, rules ...string) m {
	validators := []any{}
	for _, rule := range rules {
		validators = append(validators, m{"validate": rule})
	}
	return m{"key": key, "label": strings.ToUpper(key[:1]) + key[1:], "type": kind, "validators": validators}
}

// people returns three fields: email (required), name and town.
func people() []any {
	return []any{field("email", "email", "required"), field("name", "string"), field("town", "string")}
}

// inline returns the request body for an import with an inline schema.
func inline(fields []any, more ...m) m {
	body := m{"fields": fields}
	for _, extra := range more {
		for name, value := range extra {
			body[name] = value
		}
	}
	return body
}

func settings(s m) m { return m{"settings": s} }

// saveSchema saves a schema and returns its id.
func (c client) saveSchema(fields []any, s, hooks m) string {
	c.T.Helper()
	body := m{"name": "schema-" + rand.Text(), "fields": fields, "settings": s, "hooks": hooks}
	return c.Call("POST", schemasPath, body).WantStatus(http.StatusCreated).String("id")
}
