package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// TestBodyErrors checks that client errors and internal errors are distinguished.
func TestBodyErrors(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"a body cut off":              {&senderError{io.ErrUnexpectedEOF}, 400, "body_too_short"},
		"a malformed chunk":           {fmt.Errorf("read JSON document: %w", &senderError{errors.New("malformed chunked encoding")}), 400, "body_too_short"},
		"a reset connection":          {&senderError{syscall.ECONNRESET}, 400, "body_too_short"},
		"a slow body":                 {fmt.Errorf("read: %w", os.ErrDeadlineExceeded), 408, "too_slow"},
		"too many values":             {fmt.Errorf("%w: many", jsonschema.ErrTooLarge), 413, "body_too_large"},
		"wrong JSON":                  {&jsonschema.SyntaxError{Reason: intray.NewMessage("json.empty", nil)}, 400, "malformed_json"},
		"a full disk":                 {wrapSpoolError(full), 503, "storage_full"},
		"a quota":                     {wrapSpoolError(syscall.EDQUOT), 503, "storage_full"},
		"too many open files":         {wrapSpoolError(&os.PathError{Err: syscall.EMFILE}), 503, "busy"},
		"too many files of all":       {wrapSpoolError(syscall.ENFILE), 503, "busy"},
		"a folder that is gone":       {wrapSpoolError(os.ErrNotExist), 503, "spool_unavailable"},
		"a spool that ends too early": {wrapSpoolError(io.ErrUnexpectedEOF), 503, "spool_unavailable"},
		"a fault":                     {errors.New("boom"), 500, "internal"},
	} {
		e := toAPIError(bodyError(c.err))
		header := http.Header{}
		e.setHeaders(header)
		if e.status != c.status || e.code != c.code || (header.Get("Retry-After") != "") != (c.status == 503) {
			t.Errorf("%s: %d %s %v, want %d %s", name, e.status, e.code, header, c.status, c.code)
		}
	}
}

// sent sends a request with the given body and returns the response. headers alternates between
// names and values.
func (s *server) sent(method, path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	r := httptest.NewRequestWithContext(s.Context(), method, strings.TrimPrefix(path, "http://intray.test"), body)
	r.Header.Set("X-Service-License-Key", s.key)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return w
}

// refusedWith checks the status and the code of an error response.
func (s *server) refusedWith(what string, w *httptest.ResponseRecorder, status int, code string) {
	s.Helper()
	var body struct{ Code string }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != status || body.Code != code {
		s.Errorf("%s: status %d, %s; want %d %s", what, w.Code, w.Body, status, code)
	}
}

// TestBrokenBodiesAreNotStored checks that a request with an Idempotency-Key is refused if its
// body does not arrive completely or cannot be stored. A complete request with the same key must
// then run.
func TestBrokenBodiesAreNotStored(t *testing.T) {
	s := newServer(t, nil)
	const all = "/api/v1/headless/imports/"
	rows := `"initial_data":[{}` + strings.Repeat(",{}", keepInMemory) + `]`
	whole := `{` + mailFields + `,` + rows + `}`
	folder := s.api.cfg.TempDir
	for name, c := range map[string]struct {
		body   io.Reader
		folder string
		status int
		code   string
	}{
		"cut off":           {io.MultiReader(strings.NewReader(whole[:50]), iotest.ErrReader(io.ErrUnexpectedEOF)), folder, 400, "body_too_short"},
		"malformed chunks":  {io.MultiReader(strings.NewReader(whole[:50]), iotest.ErrReader(errors.New("malformed"))), folder, 400, "body_too_short"},
		"bad from the head": {io.MultiReader(strings.NewReader(`[}`), iotest.ErrReader(io.ErrUnexpectedEOF)), folder, 400, "malformed_json"},
		"no folder":         {strings.NewReader(whole), folder + "/gone", 503, "spool_unavailable"},
	} {
		s.api.cfg.TempDir = c.folder
		s.refusedWith(name, s.sent("POST", all, c.body, "Idempotency-Key", strings.ReplaceAll(name, " ", "-")), c.status, c.code)
		s.api.cfg.TempDir = folder
		if w := s.send("POST", all, whole, "Idempotency-Key", strings.ReplaceAll(name, " ", "-")); w.Code != http.StatusCreated {
			t.Errorf("%s, then complete: status %d, %s", name, w.Code, w.Body)
		}
	}
}

func TestBodiesThatAreNotTheThing(t *testing.T) {
	s := newServer(t, nil)
	upload := s.text(s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`), "upload")
	token := s.text(s.do("POST", "/api/widget/session/v2/auth/", ""), "hydrationId")
	const state, file = "/api/widget/session/v2/state/", "/api/widget/session/v2/file/"
	for _, path := range []string{upload, state, file} {
		s.refusedWith("a range for "+path, s.send("PUT", path, `{}`, "Content-Range", "bytes 0-1/8", "X-Hydration-Id", token), 400, "invalid")
		s.refusedWith("a coding for "+path, s.send("PUT", path, `{}`, "Content-Encoding", "gzip", "X-Hydration-Id", token), 415, "unsupported_media_type")
	}
	s.refusedWith("a coding for JSON", s.send("POST", "/api/v1/schemas/", `{}`, "Content-Encoding", "br"), 415, "unsupported_media_type")
	s.do("PUT", upload, "email\n", "Content-Encoding", "Identity")
}

func TestManyValuesAreTooLarge(t *testing.T) {
	s := newServer(t, nil)
	w := s.send("POST", "/api/v1/schemas/", `{"settings":[`+strings.Repeat("[],", maxValues)+`[]]}`)
	s.refusedWith("many values", w, 413, "body_too_large")
}

// TestSignedURLsWithoutAnID checks that signed URLs are refused if their id is invalid, spelled
// differently, or replaced by a different one.
func TestSignedURLsWithoutAnID(t *testing.T) {
	s := newServer(t, nil)
	made := s.do("POST", "/api/v1/headless/imports/", `{`+mailFields+`}`)
	id, upload := s.text(made, "id"), s.text(made, "upload")
	for other, status := range map[string]int{
		"none": 404, strings.ReplaceAll(id, "-", ""): 404, strings.ToUpper(id): 403, "0f8fad5b-d9cb-469f-a165-70867728950e": 403,
	} {
		for method, path := range map[string]string{"PUT": upload, "POST": upload, "GET": strings.Replace(upload, "/upload/", "/download/", 1)} {
			if w := s.send(method, strings.Replace(path, id, other, 1), "x"); w.Code != status {
				t.Errorf("%s with the id %s: status %d, want %d", method, other, w.Code, status)
			}
		}
	}
	if w := s.send("GET", "/api/v1/upload/none/data/", ""); w.Code != 404 {
		t.Errorf("the rows of no id: status %d", w.Code)
	}
}

// splitted is the result of splitRows.
type splitted struct {
	rest string
	rows string
	file bool
}

func split(folder string, from io.Reader) (splitted, error) {
	a := &API{cfg: Config{TempDir: folder}}
	rest := a.newSpool(maxBody, bodyTooLarge(maxBody))
	defer rest.close()
	rows, err := a.splitRows(from, rest)
	if err != nil {
		if rows != nil {
			return splitted{}, errors.New("an error, and a file that nobody closes")
		}
		return splitted{}, bodyError(err)
	}
	text, err := rest.bytes()
	s := splitted{rest: string(text), file: rows != nil}
	if rows == nil || err != nil {
		return s, err
	}
	defer rows.close()
	text, err = rows.bytes()
	s.rows = string(text)
	return s, err
}

func TestSplitRows(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want splitted
	}{
		"rows alone":       {`{"initial_data":[{"a":1}]}`, splitted{`{"initial_data":[]}`, `[{"a":1}]`, true}},
		"rows first":       {`{"initial_data":[{}],"b":2}`, splitted{`{"initial_data":[],"b":2}`, `[{}]`, true}},
		"rows last":        {`{"b":2,"initial_data":[{}]}`, splitted{`{"b":2,"initial_data":[]}`, `[{}]`, true}},
		"no rows":          {`{"initial_data":[]}`, splitted{`{"initial_data":[]}`, `[]`, true}},
		"null":             {`{"initial_data":null,"b":2}`, splitted{`{"initial_data":null,"b":2}`, "", false}},
		"none":             {`{"b":[{"initial_data":[1]}]}`, splitted{`{"b":[{"initial_data":[1]}]}`, "", false}},
		"white space":      {" {\n\"initial_data\" \t:\r [ {} , {} ] \n, \"b\" : 2 } \n", splitted{" {\n\"initial_data\" \t:\r [] \n, \"b\" : 2 } \n", "[ {} , {} ]", true}},
		"an escaped name":  {`{"initial\u005fdata":[{"x":"]"}]}`, splitted{`{"initial\u005fdata":[]}`, `[{"x":"]"}]`, true}},
		"text that is not": {`{"b":"\"initial_data\":[","c":1}`, splitted{`{"b":"\"initial_data\":[","c":1}`, "", false}},
		"no object":        {`[1,2]`, splitted{`[1,2]`, "", false}},
		"many rows":        {`{"initial_data":[{}` + strings.Repeat(",{}", keepInMemory) + `]}`, splitted{`{"initial_data":[]}`, `[{}` + strings.Repeat(",{}", keepInMemory) + `]`, true}},
	} {
		t.Run(name, func(t *testing.T) {
			for way, from := range map[string]io.Reader{
				"at once": strings.NewReader(c.body), "by bytes": iotest.OneByteReader(strings.NewReader(c.body)),
			} {
				got, err := split(t.TempDir(), from)
				if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(splitted{})); err != nil || diff != "" {
					t.Errorf("%s: error %v (-want +got):\n%s", way, err, diff)
				}
			}
		})
	}
}

func TestSplitRowsRefuses(t *testing.T) {
	deep := strings.Repeat("[", jsonschema.DefaultMaxDepth) + strings.Repeat("]", jsonschema.DefaultMaxDepth)
	for name, c := range map[string]struct {
		body, code string
	}{
		"rows that are an object":  {`{"initial_data":{}}`, "invalid"},
		"something behind":         {`{"initial_data":[]} trailing`, "malformed_json"},
		"nothing":                  {` `, "malformed_json"},
		"rows that are a text":     {`{"initial_data":"[]"}`, "invalid"},
		"a row that is a number":   {`{"initial_data":[{},1]}`, "invalid"},
		"a row that is an array":   {`{"initial_data":[[]]}`, "invalid"},
		"a row that is null":       {`{"initial_data":[null]}`, "invalid"},
		"rows twice":               {`{"initial_data":[],"initial_data":[]}`, "malformed_json"},
		"rows and null":            {`{"initial_data":[{}],"initial_data":null}`, "malformed_json"},
		"a name twice in a row":    {`{"initial_data":[{"a":1,"a":2}]}`, "malformed_json"},
		"a name twice elsewhere":   {`{"a":1,"a":2}`, "malformed_json"},
		"an end that is missing":   {`{"initial_data":[{}`, "malformed_json"},
		"rows cut in a text":       {`{"initial_data":[{"a":"b`, "malformed_json"},
		"no value":                 {`{"initial_data":`, "malformed_json"},
		"a comma too many":         {`{"initial_data":[{},]}`, "malformed_json"},
		"bytes that are not UTF-8": {"{\"initial_data\":[{\"a\":\"\xff\"}]}", "malformed_json"},
		"the character U+0000":     {`{"initial_data":[{"a":"\u0000"}]}`, "malformed_json"},
		"U+0000 in a name":         {`{"initial_data":[{"\u0000":1}]}`, "malformed_json"},
		"half a surrogate pair":    {`{"initial_data":[{"a":"\ud800"}]}`, "malformed_json"},
		"deep rows":                {`{"initial_data":[{"a":` + deep + `}]}`, "malformed_json"},
		"deep others":              {`{"b":` + deep + `}`, "malformed_json"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for way, from := range map[string]io.Reader{
				"at once": strings.NewReader(c.body), "by bytes": iotest.OneByteReader(strings.NewReader(c.body)),
			} {
				got, err := split(folder, from)
				var e *apiError
				if !errors.As(err, &e) || e.status != http.StatusBadRequest || e.code != c.code {
					t.Errorf("%s: %+v, error %#v; want a refusal with the code %s", way, got, err, c.code)
				}
			}
			left, err := os.ReadDir(folder)
			if err != nil || len(left) > 0 {
				t.Errorf("files are left: %v, error %v", left, err)
			}
		})
	}
}

func TestSplitRowsAtItsLimits(t *testing.T) {
	row := `{"a":"` + strings.Repeat("x", 1000) + `"},`
	rows := "[" + strings.Repeat(row, maxRows/len(row)-1) + `{"a":"`
	rows += strings.Repeat("y", maxRows-len(rows)-len(`"}]`)) + `"}]`
	if len(rows) != maxRows {
		t.Fatalf("%d bytes of rows, want %d", len(rows), maxRows)
	}
	got, err := split(t.TempDir(), strings.NewReader(`{"initial_data": `+rows+`}`))
	if err != nil || got.rows != rows || got.rest != `{"initial_data": []}` {
		t.Errorf("rows of the maximum size: %d bytes, the rest is %q, error %v", len(got.rows), got.rest, err)
	}
	for code, body := range map[string]string{
		"initial_data_too_large": `{"initial_data":` + rows[:maxRows-1] + ` ]}`,
		"body_too_large":         `{"b":"` + strings.Repeat("x", maxBody) + `","initial_data":[]}`,
	} {
		_, err := split(t.TempDir(), strings.NewReader(body))
		var e *apiError
		if !errors.As(err, &e) || e.status != http.StatusRequestEntityTooLarge || e.code != code {
			t.Errorf("error %v, want 413 with the code %s", err, code)
		}
	}
}

func TestSplitRowsReportsBrokenBody(t *testing.T) {
	broken := errors.New("the line is dead")
	for _, body := range []string{"", `{"initial_data":[{"a":1},`, `{"b":`} {
		_, err := split(t.TempDir(), io.MultiReader(strings.NewReader(body), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("after %q: error %v, want the error of the reader", body, err)
		}
	}
}

// someBody draws a JSON object that has rows at any position, or no rows.
func someBody(t *rapid.T) string {
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t", "\r\n "})
	var b strings.Builder
	write := func(text string) { b.WriteString(space.Draw(t, "space")); b.WriteString(text) }
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "initial_dat", "Initial_data", "é", "x y", "]"}), 0, 4, rapid.ID).Draw(t, "names")
	at := rapid.IntRange(-1, len(names)).Draw(t, "place of the rows")
	write("{")
	for i := 0; i <= len(names); i++ {
		if i == at {
			member(t, write, "initial_data", someRows(t))
			if i < len(names) {
				write(",")
			}
		}
		if i < len(names) {
			member(t, write, names[i], someValue(t, 3))
			if i+1 < len(names) || i+1 == at {
				write(",")
			}
		}
	}
	write("}")
	write("")
	return b.String()
}

func member(t *rapid.T, write func(string), name, value string) {
	quoted, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	write(string(quoted))
	write(":")
	write(value)
}

func someRows(t *rapid.T) string {
	rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return someObject(t, 3) }), 0, 5).Draw(t, "rows")
	return "[" + strings.Join(rows, rapid.SampledFrom([]string{",", " , ", ",\n"}).Draw(t, "comma")) + "]"
}

func someObject(t *rapid.T, depth int) string {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{0,3}`), 0, 3, rapid.ID).Draw(t, "names")
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = `"` + name + `":` + someValue(t, depth-1)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func someValue(t *rapid.T, depth int) string {
	kinds := []string{"null", "true", "false", "0", "-1.50e+3", `""`, `"\"}],{[\\"`, `"é\u0041\ud83d\ude00"`, "[]", "{}"}
	if depth > 0 && rapid.Bool().Draw(t, "deeper") {
		if rapid.Bool().Draw(t, "object") {
			return someObject(t, depth)
		}
		return "[" + someValue(t, depth-1) + " , " + someValue(t, depth-1) + "]"
	}
	return rapid.SampledFrom(kinds).Draw(t, "value")
}

// TestSplitRowsAgreesWithAnotherReader compares the rows, and the rest of the body, that
// splitRows returns with those that encoding/json decodes.
func TestSplitRowsAgreesWithAnotherReader(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		body := someBody(t)
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &want); err != nil {
			t.Fatalf("the test drew invalid JSON: %v: %s", err, body)
		}
		rows, there := want[rowsField]
		if there {
			want[rowsField] = json.RawMessage("[]")
		}
		for _, from := range []io.Reader{strings.NewReader(body), iotest.OneByteReader(strings.NewReader(body)), iotest.HalfReader(strings.NewReader(body))} {
			got, err := split(folder, from)
			if err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if got.file != there || got.rows != string(rows) {
				t.Fatalf("rows %q (%v), want %q (%v)", got.rows, got.file, rows, there)
			}
			var rest map[string]json.RawMessage
			if err := json.Unmarshal([]byte(got.rest), &rest); err != nil {
				t.Fatalf("the rest is not JSON: %v: %s", err, got.rest)
			}
			if diff := cmp.Diff(want, rest); diff != "" {
				t.Fatalf("the rest (-want +got):\n%s", diff)
			}
		}
	})
}

// FuzzSplitRows compares splitRows with decoding the whole body. Both must accept
// the same bodies and return the same values.
func FuzzSplitRows(f *testing.F) {
	for _, body := range []string{
		`{"initial_data":[{"a":1}],"b":2}`, `{"initial_data":null}`, `{"b":{"initial_data":[]}}`, `[]`, `{`, `{"initial_data":[1]}`,
		`{"initial_data":[{}],"initial_data":[]}`, "{\"initial_data\"\n:\t[ {} ] } x", `{"a":"\u0000"}`, `{"initial_data":[{"a":"\ud800"}]}`,
	} {
		f.Add([]byte(body))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := split(folder, bytes.NewReader(body))
		slow, slowErr := split(folder, iotest.OneByteReader(bytes.NewReader(body)))
		if got != slow || (err == nil) != (slowErr == nil) {
			t.Fatalf("at once %+v, %v; by bytes %+v, %v", got, err, slow, slowErr)
		}
		whole, wholeErr := jsonschema.Decode(bytes.NewReader(body), jsonschema.Limits{})
		if err != nil {
			if wholeErr == nil && rowsAreObjects(whole) {
				t.Fatalf("a good body is refused: %v", err)
			}
			return
		}
		rest, restErr := jsonschema.Decode(strings.NewReader(got.rest), jsonschema.Limits{})
		if wholeErr != nil {
			if restErr == nil {
				t.Fatalf("accepted, but refused as a whole: %v", wholeErr)
			}
			return
		}
		if restErr != nil {
			t.Fatalf("the rest %q is refused: %v", got.rest, restErr)
		}
		sameDocument(t, whole, rest, got)
	})
}

// rowsAreObjects reports whether all rows of a body are objects.
func rowsAreObjects(whole any) bool {
	doc, ok := whole.(map[string]any)
	if !ok || doc[rowsField] == nil {
		return true
	}
	rows, ok := doc[rowsField].([]any)
	for _, row := range rows {
		_, object := row.(map[string]any)
		ok = ok && object
	}
	return ok
}

func sameDocument(t *testing.T, whole, rest any, got splitted) {
	t.Helper()
	doc, _ := whole.(map[string]any)
	if got.file {
		rows, err := jsonschema.Decode(strings.NewReader(got.rows), jsonschema.Limits{})
		if diff := cmp.Diff(doc[rowsField], rows); err != nil || diff != "" {
			t.Fatalf("error %v, rows (-whole +apart):\n%s", err, diff)
		}
		doc[rowsField] = []any{}
	}
	if diff := cmp.Diff(whole, rest); diff != "" {
		t.Fatalf("the rest (-whole +apart):\n%s", diff)
	}
}

// BenchmarkSplitRows measures splitting a body of the maximum size with rows of 32 bytes.
func BenchmarkSplitRows(b *testing.B) {
	row := `{"a":"` + strings.Repeat("x", 23) + `"}`
	body := `{"initial_data":[` + strings.Repeat(row+",", maxRows/(len(row)+1)-2) + row + `]}`
	folder := b.TempDir()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := split(folder, strings.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestIsJSON(t *testing.T) {
	for value, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON;charset=UTF-8": true,
		"application/json; charset=latin1": false, "text/json": false, "": false, "text/plain": false, "application/json;": true, "a;b;c": false,
	} {
		if got := isJSON(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
