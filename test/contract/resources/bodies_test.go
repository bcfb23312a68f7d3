package resources_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/apitest"
)

// bodyOperation is an operation with a JSON body, and a valid body.
type bodyOperation struct {
	name, method, path string
	body               func() string
}

// jsonBodyOperations returns operations that require an API key and have a JSON body.
func (c client) jsonBodyOperations() []bodyOperation {
	c.T.Helper()
	schema := func() string {
		return `{"name":"` + unique("s") + `","settings":{},"fields":[{"key":"k","label":"L"}]}`
	}
	imports := func() string { return `{"settings":{},"fields":[{"key":"k","label":"L"}]}` }
	login := func() string {
		return `{"hostname":"h.example","port":22,"user":"u","auth_type":"PASSWORD","password":"p"}`
	}
	session := func() string { return `{"expires_in":60}` }
	schemaID := c.Call("POST", schemasPath, schema()).WantStatus(http.StatusCreated).String("id")
	loginID := c.Call("POST", credentialsPath, login()).WantStatus(http.StatusCreated).String("id")
	sessionID := c.Call("POST", sessionsPath+"auth/", nil).WantStatus(http.StatusCreated).String("sessionId")
	return []bodyOperation{
		{"createImport", "POST", importsPath, imports},
		{"createSchema", "POST", schemasPath, schema},
		{"replaceSchema", "PUT", schemasPath + schemaID + "/", schema},
		{"replaceSchemaExtensions", "PUT", schemasPath + schemaID + "/extensions/", func() string { return `{"fields":{"k":{"labels":{"de":"L"}}}}` }},
		{"createCredential", "POST", credentialsPath, login},
		{"replaceCredential", "PUT", credentialsPath + loginID + "/", login},
		{"createSession", "POST", sessionsPath + "auth/", session},
		{"resumeSession", "POST", sessionsPath + sessionID + "/auth/", session},
	}
}

// malformed returns invalid JSON bodies, by the name of the fault.
func malformed() map[string]string {
	return map[string]string{
		"cut off": `{"a":1`, "not JSON": `hello`, "single quotes": `{'a':1}`, "a comma too many": `{"a":1,}`, "a comment": `{} // x`,
		"two values": `{}{}`, "trailing text": `{} x`, "NaN": `{"a":NaN}`, "a leading zero": `{"a":01}`, "white space alone": "  \n",
		"a list": `[]`, "a text": `"x"`, "a number": `1`, "true": `true`,
		"one name twice":         `{"a":1,"a":2}`,
		"one name twice, inside": `{"a":{"b":1,"b":1}}`,
		"one name in two ways":   `{"a":1,"\u0061":2}`,
		"NUL in a text":          `{"a":"x\u0000y"}`,
		"NUL in a name":          `{"x\u0000y":1}`,
		"a bare NUL":             "{\"a\":\"\x00\"}",
		"a lone high surrogate":  `{"a":"\ud800"}`,
		"a lone low surrogate":   `{"a":"\udc00x"}`,
		"surrogates reversed":    `{"a":"\udc00\ud800"}`,
		"invalid UTF-8":          "{\"a\":\"\xff\"}",
		"Latin-1":                "{\"a\":\"\xe9t\xe9\"}",
		"an overlong form":       "{\"a\":\"\xc0\xaf\"}",
		"a bare line break":      "{\"a\":\"x\ny\"}",
		"UTF-16":                 "\xff\xfe{\x00}\x00",
		"65 levels":              strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65),
		"a million levels":       strings.Repeat("[", 1000000),
	}
}

func TestMalformedBodies(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, op := range c.jsonBodyOperations() {
			for name, body := range malformed() {
				if reply := c.Call(op.method, op.path, body); reply.Status != http.StatusBadRequest {
					t.Errorf("%s with %s: %d %.300s", op.name, name, reply.Status, reply.Body)
				}
			}
			// null and an empty body are not objects either.
			for _, body := range []string{"null", ""} {
				reply := c.Call(op.method, op.path, body)
				optional := strings.HasSuffix(op.name, "Session")
				if !optional && reply.Status != http.StatusBadRequest || optional && body == "" && reply.Status >= 400 {
					t.Errorf("%s with the body %q: %d %.300s", op.name, body, reply.Status, reply.Body)
				}
			}
		}
	})
}

// TestMalformedParts checks that malformed strings in otherwise valid bodies are rejected.
func TestMalformedParts(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for name, label := range map[string]string{"NUL": `L\u0000`, "a lone surrogate": `L\ud800`, "invalid UTF-8": "L\xff"} {
			for _, op := range c.jsonBodyOperations() {
				whole := op.body()
				broken := strings.NewReplacer(`"L"`, `"`+label+`"`, `"h.example"`, `"`+label+`"`, `{"expires_in":60}`, `{"import_identifier":"`+label+`"}`).Replace(whole)
				if reply := c.Call(op.method, op.path, broken).WantStatus(http.StatusBadRequest); reply.String("code") != "malformed_json" {
					t.Errorf("%s with %s: %s", op.name, name, reply.Body)
				}
			}
		}
		doubled := `{"name":"` + unique("s") + `","name":"x","settings":{},"fields":[{"key":"k","label":"L"}]}`
		c.Call("POST", schemasPath, doubled).WantStatus(http.StatusBadRequest)
		c.Call("POST", schemasPath, strings.Replace(doubled, `"name":"x",`, "", 1)).WantStatus(http.StatusCreated)
	})
}

// TestDepth checks that a body may have the maximum nesting depth, but not one level more.
func TestDepth(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		nested := func(levels int) string {
			// The body, settings and styleOverrides are three levels.
			inner := strings.Repeat(`{"a":`, levels-3) + "1" + strings.Repeat("}", levels-3)
			return `{"name":"` + unique("s") + `","fields":[{"key":"k","label":"L"}],"settings":{"styleOverrides":{"a":` + inner + `}}}`
		}
		c.Call("POST", schemasPath, nested(64)).WantStatus(http.StatusCreated)
		c.Call("POST", schemasPath, nested(65)).WantStatus(http.StatusBadRequest)
		c.Call("POST", importsPath, strings.Replace(nested(64), `"name":"`, `"original_filename":"`, 1)).WantStatus(http.StatusCreated)
		c.Call("POST", importsPath, strings.Replace(nested(65), `"name":"`, `"original_filename":"`, 1)).WantStatus(http.StatusBadRequest)
	})
}

func TestContentTypes(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, op := range c.jsonBodyOperations() {
			for _, wrong := range []string{"", "text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
				"application/json; charset=latin1", "application/jsonx", "json", ";;", "text/json"} {
				if reply := c.Call(op.method, op.path, op.body(), "Content-Type", wrong); reply.Status != http.StatusUnsupportedMediaType {
					t.Errorf("%s with the Content-Type %q: %d %s", op.name, wrong, reply.Status, reply.Body)
				}
			}
			for _, right := range []string{"application/json", "Application/JSON", "application/json;charset=utf-8", `application/json; charset="UTF-8"`, "application/json; charset=Utf-8"} {
				if reply := c.Call(op.method, op.path, op.body(), "Content-Type", right); reply.Status >= 400 {
					t.Errorf("%s with the Content-Type %q: %d %s", op.name, right, reply.Status, reply.Body)
				}
			}
		}
	})
}

// unsized hides the length of a body, so that it is sent in chunks.
type unsized struct{ io.Reader }

const mebibyte = 1 << 20

// padded inserts spaces before the last character of a body, so that it has size bytes.
func padded(body string, size int) string {
	return body[:len(body)-1] + strings.Repeat(" ", size-len(body)) + body[len(body)-1:]
}

// TestLargeBodies checks that a body may have the maximum size, but not one byte more.
func TestLargeBodies(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for _, op := range c.jsonBodyOperations() {
			if op.name == "createImport" {
				continue // It may be larger, because it may contain rows.
			}
			for size, tooLarge := range map[int]bool{mebibyte: false, mebibyte + 1: true, 4 * mebibyte: true} {
				for _, chunked := range []bool{false, true} {
					var body any = padded(op.body(), size)
					if chunked {
						body = unsized{strings.NewReader(body.(string))}
					}
					reply := c.Call(op.method, op.path, body)
					if (reply.Status == http.StatusRequestEntityTooLarge) != tooLarge || !tooLarge && reply.Status >= 400 {
						t.Errorf("%s with %d bytes, in chunks %v: %d %.300s", op.name, size, chunked, reply.Status, reply.Body)
					}
				}
			}
		}
	})
}

// TestManyValues sends bodies that are small but have very many values. They must not cause
// a server error.
func TestManyValues(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		body := `{"name":"x","settings":{"initialData":[` + strings.Repeat("[],", 349000) + `[]]},"fields":[{"key":"k","label":"L"}]}`
		if reply := c.Call("POST", schemasPath, body); reply.Status >= 500 {
			t.Error(fmt.Sprint(reply.Status))
		}
		wide := `{"name":"` + unique("s") + `","settings":{},"fields":[` + strings.Repeat(`{"key":"k","label":"L"},`, 40000) + `{"key":"k","label":"L"}]}`
		c.Call("POST", schemasPath, wide).WantStatus(http.StatusBadRequest)
	})
}
