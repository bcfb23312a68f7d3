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

// client calls a site with one key, and checks every answer.
type client struct{ apitest.Client }

func backend(t testing.TB, s *apitest.Site) client { return client{s.Client(t, livetest.BackendKey)} }

// each runs a test once for each database, on a program that all tests share.
func each(t *testing.T, test func(c client)) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) { test(backend(t, s)) })
}

// eachFresh is each on a program of the test's own, with further flags.
func eachFresh(t *testing.T, test func(c client), args ...string) {
	apitest.RunOnFreshDatabases(t, args, func(t *testing.T, s *apitest.Site) { test(backend(t, s)) })
}

// onSQLite is for what no database has a part in.
func onSQLite(t *testing.T) client {
	t.Parallel()
	return backend(t, apitest.Shared(t, apitest.SQLite))
}

// refused sends a body that must be refused, with a message about field unless
// that is "", and gives all the text of the answer.
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

// create makes an import and gives the answer.
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

// ended is an import that has ended or waits for a person.
type ended struct {
	client
	id, status string
	doc        m
}

func (c client) ended(reply *livetest.Reply) ended {
	return ended{c, reply.String("id"), reply.String("status"), reply.Object()}
}

// await waits until the import has ended or waits for a person.
func (c client) await(id string) ended {
	c.T.Helper()
	return c.ended(c.AwaitImport(id))
}

// run makes an import, sends its file and waits for its end.
func (c client) run(body m, file any) ended {
	c.T.Helper()
	return c.ended(c.Import(body, file))
}

// want ends the test where the import ended otherwise.
func (e ended) want(status string) ended {
	e.T.Helper()
	if e.status != status {
		e.T.Fatalf("the import is %s, want %s: %s", e.status, status, show(e.doc))
	}
	return e
}

// metadata is result_metadata.
func (e ended) metadata() m {
	e.T.Helper()
	metadata, ok := e.doc["result_metadata"].(m)
	if !ok {
		e.T.Fatalf("result_metadata is no object: %s", show(e.doc))
	}
	return metadata
}

// notices is import_errors; none where it is null.
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

// types are the types of the notices, in their order.
func (e ended) types() string {
	var types []string
	for _, n := range e.notices() {
		types = append(types, n["type"].(string))
	}
	return strings.Join(types, " ")
}

// result downloads the result in a format; "" leaves the format out.
func (e ended) result(format string) *livetest.Reply {
	e.T.Helper()
	query := ""
	if format != "" {
		query = "?format=" + format
	}
	address := e.Call("GET", importsPath+e.id+"/url/"+query, nil).WantStatus(http.StatusOK).String("presigned_url")
	return e.WithoutKey().Call("GET", address, nil).WantStatus(http.StatusOK)
}

// rows is the result, row by row.
func (e ended) rows() string {
	e.T.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.want("SUCCESSFUL").result("").Body); err != nil {
		e.T.Fatal(err)
	}
	return compact.String()
}

// field is a field definition with validators that are just required.
func field(key, kind string, rules ...string) m {
	validators := []any{}
	for _, rule := range rules {
		validators = append(validators, m{"validate": rule})
	}
	return m{"key": key, "label": strings.ToUpper(key[:1]) + key[1:], "type": kind, "validators": validators}
}

// people are three fields: a required e-mail address, a name and a town.
func people() []any {
	return []any{field("email", "email", "required"), field("name", "string"), field("town", "string")}
}

// inline is the body of an import with an inline schema.
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

// saveSchema saves a schema and gives its id.
func (c client) saveSchema(fields []any, s, hooks m) string {
	c.T.Helper()
	body := m{"name": "schema-" + rand.Text(), "fields": fields, "settings": s, "hooks": hooks}
	return c.Call("POST", schemasPath, body).WantStatus(http.StatusCreated).String("id")
}
