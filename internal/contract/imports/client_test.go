package imports_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/internal/livetest"
)

// m is a JSON object.
type m = map[string]any

const (
	importsPath = "/api/v1/headless/imports/"
	schemasPath = "/api/v1/schemas/"
	uploadPath  = "/api/v1/upload/"
	reviewPath  = "/api/review/v1/"
)

// client calls one program with one key, and checks every answer.
type client struct {
	t      *testing.T
	server *livetest.Server
	key    string
}

// bare is the client without a key, as the holder of a signed address is.
func (c client) bare() client {
	c.key = ""
	return c
}

// call sends a request. Headers are name and value in turn; an empty value
// removes the header.
func (c client) call(method, path string, body any, headers ...string) *livetest.Reply {
	c.t.Helper()
	request := c.server.Request(c.t, method, path, body, append([]string{"X-Service-License-Key", c.key}, headers...)...)
	reply := c.server.Do(c.t, request)
	if wrong := breach(method, reply); wrong != "" {
		c.t.Errorf("%s %s: status %d: %s\n%.600s", method, path, reply.Status, wrong, reply.Body)
	}
	return reply
}

var (
	snakeCase = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)
	uuidForm  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	timeForm  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)
)

// breach says which rule of all answers this one breaks, or "".
func breach(method string, reply *livetest.Reply) string {
	switch {
	case reply.Status >= 500 || reply.Status == http.StatusUnprocessableEntity:
		return "no answer has this status"
	case reply.Status >= 300 && reply.Status < 400:
		return "there are no redirects"
	case reply.Status < 400 || method == http.MethodHead:
		return ""
	case reply.Header.Get("Content-Type") != "application/json":
		return fmt.Sprintf("an error has the Content-Type %q", reply.Header.Get("Content-Type"))
	}
	var body m
	if err := json.Unmarshal(reply.Body, &body); err != nil {
		return "an error is no JSON object"
	}
	return errorShape(body, reply.Header.Get("X-Request-Id"))
}

func errorShape(body m, requestID string) string {
	detail, _ := body["detail"].(string)
	code, _ := body["code"].(string)
	switch {
	case len(detail) < 5 || strings.ContainsAny(detail, "\r\n"):
		return "detail is no sentence"
	case !snakeCase.MatchString(code):
		return "code is not in snake_case"
	case body["request_id"] != requestID || requestID == "":
		return "request_id is not that of the header X-Request-Id"
	}
	for name, value := range body {
		if name != "detail" && name != "code" && name != "request_id" && !isMessages(value) {
			return name + " has no array of messages"
		}
	}
	return ""
}

func isMessages(value any) bool {
	list, ok := value.([]any)
	for _, message := range list {
		if text, isText := message.(string); !isText || text == "" {
			return false
		}
	}
	return ok && len(list) > 0
}

// refused sends a body that must be refused, with a message about field unless
// that is "", and gives all the text of the answer.
func (c client) refused(body any, status int, field string) string {
	c.t.Helper()
	reply := c.call("POST", importsPath, body)
	if reply.Status != status {
		c.t.Errorf("status %d, want %d: %.300s\nanswer: %.600s", reply.Status, status, show(body), reply.Body)
		return ""
	}
	if field != "" && reply.Object()[field] == nil {
		c.t.Errorf("%.300s: no message about %q: %s", show(body), field, reply.Body)
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
	c.t.Helper()
	return c.call("POST", importsPath, body).Want(http.StatusCreated)
}

// put sends a file to a signed address, as its holder does: without a key.
func (c client) put(address string, file any, headers ...string) *livetest.Reply {
	c.t.Helper()
	return c.bare().call("PUT", address, file, append([]string{"Content-Type", "application/octet-stream"}, headers...)...)
}

func (c client) get(id string) *livetest.Reply {
	c.t.Helper()
	return c.call("GET", importsPath+id+"/", nil)
}

func (c client) status(id string) string {
	c.t.Helper()
	return c.get(id).Want(http.StatusOK).String("status")
}

// ended is an import that has ended or waits for a person.
type ended struct {
	client
	id, status string
	doc        m
}

// await waits until the import has ended or waits for a person.
func (c client) await(id string) ended {
	c.t.Helper()
	var e ended
	c.eventually("import "+id+" ends", func() bool {
		doc := c.get(id).Want(http.StatusOK).Object()
		e = ended{c, id, doc["status"].(string), doc}
		return e.status == "SUCCESSFUL" || e.status == "FAILED" || e.status == "NEEDS_REVIEW"
	})
	return e
}

// run makes an import, sends its file and waits for its end.
func (c client) run(body m, file any) ended {
	c.t.Helper()
	made := c.create(body)
	c.put(made.String("upload"), file).Want(http.StatusOK)
	return c.await(made.String("id"))
}

// want ends the test where the import ended otherwise.
func (e ended) want(status string) ended {
	e.t.Helper()
	if e.status != status {
		e.t.Fatalf("the import is %s, want %s: %s", e.status, status, show(e.doc))
	}
	return e
}

// metadata is result_metadata.
func (e ended) metadata() m {
	e.t.Helper()
	metadata, ok := e.doc["result_metadata"].(m)
	if !ok {
		e.t.Fatalf("result_metadata is no object: %s", show(e.doc))
	}
	return metadata
}

// notices is import_errors; none where it is null.
func (e ended) notices() []m {
	e.t.Helper()
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
	e.t.Helper()
	query := ""
	if format != "" {
		query = "?format=" + format
	}
	address := e.call("GET", importsPath+e.id+"/url/"+query, nil).Want(http.StatusOK).String("presigned_url")
	return e.bare().call("GET", address, nil).Want(http.StatusOK)
}

// rows is the result, row by row.
func (e ended) rows() string {
	e.t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.want("SUCCESSFUL").result("").Body); err != nil {
		e.t.Fatal(err)
	}
	return compact.String()
}

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// eventually waits until something is so.
func (c client) eventually(what string, so func() bool) {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	c.t.Fatalf("it does not come true that %s", what)
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
	c.t.Helper()
	body := m{"name": "schema-" + rand.Text(), "fields": fields, "settings": s, "hooks": hooks}
	return c.call("POST", schemasPath, body).Want(http.StatusCreated).String("id")
}
