package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/wire"
)

// underReview creates an import that needs a review, and returns its id and the path and the
// cookie of the review.
func (s *server) underReview(file string) (id, path, cookie string) {
	s.Helper()
	made := s.do("POST", "/api/v1/headless/imports/", `{"settings":{"invalidDataBehavior":"BLOCK_SUBMIT"},"fields":[
		{"key":"email","label":"E-Mail","type":"email","validators":[{"validate":"required"}]},
		{"key":"country","label":"Country","type":"select","selectOptions":[{"label":"Germany","value":"DE"},{"label":"France","value":"FR"}]},
		{"key":"phone","label":"Phone","manyToOne":true,"alternateMatches":["Phone 1","Phone 2"]}]}`)
	id = s.text(made, "id")
	s.do("PUT", s.text(made, "upload"), file, "Content-Type", "text/csv")
	s.runAll()
	return id, "/api/review/v1/" + id, s.opened(id)
}

const reviewFileText = "E-Mail,Country,Phone 1,Phone 2\nada@example.org,DE,1,2\nnobody,Germny,3,\nnobody,XX,,4\n"

// reviewing runs through a review, from the questions to the submission.
func (s *server) reviewing() {
	s.Helper()
	id, path, cookie := s.underReview(reviewFileText)
	get := func(what string) string {
		s.Helper()
		return strings.TrimSpace(s.do("GET", path+what, "", "Cookie", cookie).Body.String())
	}
	post := func(what, body string) string {
		s.Helper()
		return strings.TrimSpace(s.do("POST", path+what, body, "Cookie", cookie).Body.String())
	}
	holds := func(got string, want ...string) {
		s.Helper()
		for _, text := range want {
			if !strings.Contains(got, text) {
				s.Errorf("%s lacks %s", got, text)
			}
		}
	}
	holds(get("/questions/"), `"questions":[]`)
	holds(get("/table/"), `"totals":{"rows":3,"errors":2,"warnings":0,"infos":1}`, `"key":"phone","part":1`, `"header":"Phone 2"`, `"required":true`, `"undo":0,"redo":0`)
	rows := get("/rows/?show=errors&count=1")
	holds(rows, `"total":2`, `"first":0`, `"id":"1"`, `"line":3`, `{"text":"nobody","value":null,"problems":[{"level":"error","code":"email"`, `{"text":"3","value":"3"}`, `{"text":"","value":""}`)
	holds(get("/counts/"), `{"key":"email","code":"email","level":"error","rows":2`, `"key":"country","code":"select"`)
	holds(get("/values/?of=email&show=errors"), `{"values":[{"text":"nobody","count":2,"suggestions":[]}],"more":0}`)
	holds(get("/values/?of=country&show=errors&key=country"), `{"text":"XX","count":1,"suggestions":[]}`)
	holds(get("/"), `"invalidDataBehavior":"BLOCK_SUBMIT","styleOverrides":{},"openQuestions":0,"hasRows":true,"unmatchedValues":1,"finished":"20`)
	holds(get("/layout/"), `{"index":3,"header":"Phone 2","examples":["2","4"],"field":"phone"}`, `"columns":[2,3]`, `"decided":"file"`, `"changes":0`)
	s.checkStateEvent(path, cookie)
	holds(get("/next/?row=0"), `{"next":{"id":"1","place":1}}`)
	holds(get("/next/?row=2"), `{"next":null}`)
	holds(get("/next/?row=2&back=true"), `{"next":{"id":"1"`)

	// The table displays the value DE as Germany.
	holds(get("/rows/?search=german"), `"total":1`, `"id":"0"`, `{"text":"DE","value":"DE"}`)
	holds(get("/rows/?search=de&in=country"), `"total":2`)
	byName := `{"op":"1","kind":"replace","preview":true,"keys":["country"],"find":"Germany","with":"France"}`
	holds(post("/edits/", byName), `"cells":1,"rows":1`, `"before":{"text":"DE","value":"DE"},"after":{"text":"FR","value":"FR"}`)
	// A page in a different language sends the names that it displays.
	holds(get("/rows/?search=tschland&also="+url.QueryEscape(`{"country":["DE"]}`)), `"total":1`, `"id":"0"`)
	german := `{"op":"1","kind":"replace","preview":true,"keys":["country"],"find":"Deutschland","with":"Frankreich","names":{"country":{"DE":"Deutschland","FR":"Frankreich"}}}`
	holds(post("/edits/", german), `"cells":1,"rows":1`, `"after":{"text":"FR","value":"FR"}`)
	preview := `{"op":"1","kind":"fill","preview":true,"where":{"show":"errors"},"keys":["email"],"text":"x@example.org"}`
	holds(post("/edits/", preview), `"change":0,"cells":2,"rows":2`, `"samples":[{"id":"1","key":"email","before":{"text":"nobody"`)
	holds(post("/edits/", `{"op":"2","kind":"set","cells":[{"id":"1","key":"email","text":"bob@example.org","version":0,"seen":"nobody"},{"id":"1","key":"phone","part":1,"text":"9","version":0,"seen":""}]}`), `"cells":2,"rows":1`)
	holds(post("/edits/", `{"op":"3a","kind":"mapValue","preview":true,"where":{"rows":["0","1"]},"keys":["country"],"find":"XX","text":"FR"}`), `"cells":0`)
	holds(post("/edits/", `{"op":"3b","kind":"fill","preview":true,"where":{"rows":["2"]},"keys":["phone"],"text":"5"}`),
		`"part":0,"before":{"text":"","value":""},"after":{"text":"5","value":"5"}}`, `"part":1,"before":{"text":"4","value":"4"},"after":{"text":"5","value":"5"}}`)
	holds(post("/edits/", `{"op":"3","kind":"mapValue","keys":["country"],"find":"XX","text":"France"}`), `"cells":1`)
	holds(post("/edits/", `{"op":"4","kind":"replace","keys":["country"],"find":"Germny","with":"Germany","whole":true}`), `"cells":1,"rows":1,"added":0,"deleted":0,"valid":0,"invalid":0`)
	for i, change := range []string{
		`"kind":"trim","inner":true`, `"kind":"case","keys":["email"],"to":"upper"`, `"kind":"clear","where":{"rows":["2"]},"keys":["phone"]`,
		`"kind":"add","rows":[[{"key":"email","text":"new@example.org"}]]`, `"kind":"accept","where":{"rows":["0"]}`,
	} {
		post("/edits/", fmt.Sprintf(`{"op":"many-%d",%s}`, i, change))
	}
	holds(post("/undo/", `{"op":"u"}`), `"change":`)
	holds(post("/redo/", `{"op":"r"}`), `"change":`)
	conflict := s.send("POST", path+"/edits/", `{"op":"5","kind":"set","cells":[{"id":"1","key":"email","text":"z","version":0,"seen":"nobody"}]}`, "Cookie", cookie)
	if conflict.Code != http.StatusConflict {
		s.Errorf("a lost race: status %d", conflict.Code)
	}
	holds(conflict.Body.String(), `"code":"changed_by_others"`, `"seen":"nobody","now":"BOB@EXAMPLE.ORG"`)
	holds(get("/submit/"), `"status":"NEEDS_REVIEW","rows":4,"rowsWithError":1,"rowsLeftOut":0,"blocked":true`)
	if w := s.send("POST", path+"/submit/", "", "Cookie", cookie); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "rows_with_error") {
		s.Errorf("a review with errors was submitted: %d %s", w.Code, w.Body)
	}
	view := struct{ View string }{}
	if err := json.Unmarshal([]byte(get("/rows/")), &view); err != nil {
		s.Fatal(err)
	}
	holds(post("/edits/", `{"op":"part","preview":true,"kind":"fill","where":{"view":"`+view.View+`","from":1,"to":3},"texts":{"email":"y@example.org","country":"France"}}`), `"rows":2`)
	s.roundTrip(path, cookie)
	post("/edits/", `{"op":"6","kind":"delete","where":{"show":"errors"}}`)
	holds(post("/submit/", ""), `"status":"SUCCESSFUL","rows":3`)
	result := s.text(s.do("GET", "/api/v1/headless/imports/"+id+"/url/", ""), "presigned_url")
	holds(s.do("GET", result, "").Body.String(), `{"email":"BOB@EXAMPLE.ORG","country":"DE","phone":["3","9"]}`, `"email":"new@example.org"`)
	s.reviewingAgain()
	s.correcting()
}

// reviewingAgain runs an import under review again, which discards a change.
func (s *server) reviewingAgain() {
	s.Helper()
	_, path, cookie := s.underReview(reviewFileText)
	s.do("POST", path+"/edits/", `{"op":"1","kind":"clear","where":{"rows":["2"]},"keys":["phone"]}`, "Cookie", cookie)
	refused := s.send("POST", path+"/run-again/", "", "Cookie", cookie)
	if got := refused.Body.String(); refused.Code != http.StatusConflict || !strings.Contains(got, `"code":"discards_changes"`) || !strings.Contains(got, `"changes":1`) {
		s.Errorf("a run that discards a change: %d %s", refused.Code, got)
	}
	if got := s.do("POST", path+"/run-again/", `{"discard":true}`, "Cookie", cookie).Body.String(); !strings.Contains(got, `"status":"PENDING"`) {
		s.Errorf("running again: %s", got)
	}
	s.runAll()
}

// correcting takes a suggestion for an e-mail address: it previews the change of all cells with the
// same text, makes it, and undoes it.
func (s *server) correcting() {
	s.Helper()
	_, path, cookie := s.underReview("E-Mail,Country,Phone 1,Phone 2\nada(at)example.org,DE,1,2\nada(at)example.org,DE,3,\nnobody,DE,,4\n")
	get := func(what string) string { return s.do("GET", path+what, "", "Cookie", cookie).Body.String() }
	post := func(what, body string) string { return s.do("POST", path+what, body, "Cookie", cookie).Body.String() }
	holds := func(got string, want string) {
		s.Helper()
		if !strings.Contains(got, want) {
			s.Errorf("%s lacks %s", got, want)
		}
	}
	holds(get("/values/?of=email&show=errors"), `{"text":"ada(at)example.org","count":2,"suggestions":[{"text":"ada@example.org","label":"ada@example.org","reason":"with the punctuation corrected","reasonCode":"suggestion.signs"`)
	edit := `"kind":"mapValue","keys":["email"],"find":"ada(at)example.org","text":"ada@example.org","where":{"show":"errors","key":"email"}}`
	holds(post("/edits/", `{"op":"1","preview":true,`+edit), `"before":{"text":"ada(at)example.org","value":null`)
	holds(post("/edits/", `{"op":"2",`+edit), `"cells":2`)
	holds(get("/counts/"), `"key":"email","code":"email","level":"error","rows":1`)
	post("/undo/", `{"op":"3"}`)
	holds(get("/counts/"), `"key":"email","code":"email","level":"error","rows":3`)
}

// checkStateEvent ends all streams and checks that a new stream sends the state and then ends.
func (s *server) checkStateEvent(path, cookie string) {
	s.Helper()
	s.api.EndStreams()
	recorded := s.do("GET", path+"/events/", "", "Cookie", cookie)
	want := "event: state\ndata: {\"status\":\"NEEDS_REVIEW\",\"run\":1,\"change\":0,\"totals\":{\"rows\":3,\"errors\":2,\"warnings\":0,\"infos\":1}}\n\n"
	if got := recorded.Body.String(); got != want || recorded.Header().Get("Content-Type") != "text/event-stream" {
		s.Errorf("the events are %q (%s), want %q", got, recorded.Header().Get("Content-Type"), want)
	}
}

// roundTrip downloads rows with errors, fixes one in the file, and uploads the file.
func (s *server) roundTrip(path, cookie string) {
	s.Helper()
	file := s.do("GET", path+"/file/?show=errors", "", "Cookie", cookie)
	if got := file.Header().Get("Content-Disposition"); !strings.HasSuffix(got, "-rows.xlsx") {
		s.Errorf("the file is %q", got)
	}
	const both = "Row,E-Mail,Phone: Phone 1,Phone: Phone 2\n1v0,late@example.org,7,8\n"
	bring := func(query, body string) *httptest.ResponseRecorder {
		return s.send("POST", path+"/file/"+query, body, "Cookie", cookie)
	}
	for what, c := range map[string]struct {
		query, body string
		status      int
		want        string
	}{
		"as it was":   {"?op=f1&preview=true", file.Body.String(), 200, `"cells":0,"rows":0`},
		"fixed":       {"?op=f2&preview=true", "Row,E-Mail,Odd\n2,zoe@example.org,x\n77,a,b\nx,c,d\n", 200, `"cells":1,"rows":1,"added":0,"deleted":0,"valid":1`},
		"unknown":     {"?op=f3&preview=true", "Row,E-Mail,Odd\n2,zoe@example.org,x\n77,a,b\nx,c,d\n", 200, `"unknown":2,"ignored":["Odd"]`},
		"no versions": {"?op=f3&preview=true", "Row,E-Mail,Odd\n2,zoe@example.org,x\n77,a,b\nx,c,d\n", 200, `"clashes":0,"examples":[],"untold":1`},
		"both":        {"?op=f4&preview=true", both, 200, `"cells":1,"rows":1`},
		"conflicts":   {"?op=f4&preview=true", both, 200, `"clashes":2,"examples":[{"id":"1","key":"email","here":"BOB@EXAMPLE.ORG","file":"late@example.org"},{"id":"1","key":"phone","part":1,"here":"9","file":"8"}],"untold":0`},
		"over":        {"?op=f5&preview=true&over=true", both, 200, `"cells":3,"rows":1`},
		"no rows":     {"?op=f6&preview=true", "E-Mail,Country\na,b\n", 400, `no_row_column`},
		"empty":       {"?op=f7&preview=true", "", 400, `unreadable_file`},
		"no op":       {"", "Row,E-Mail\n1,z@example.org\n", 400, `op`},
	} {
		if w := bring(c.query, c.body); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			s.Errorf("%s: status %d, %s; want %d with %s", what, w.Code, w.Body, c.status, c.want)
		}
	}
	for range 2 {
		if w := s.do("POST", path+"/file/?op=f8", "Row,Country,Phone: Phone 2\n2,Germany,5\n", "Cookie", cookie); !strings.Contains(w.Body.String(), `"cells":2,"rows":1`) {
			s.Errorf("uploaded: status %d %s", w.Code, w.Body)
		}
	}
}

// relaying maps a column to a different field and runs the import again.
func (s *server) relaying() {
	s.Helper()
	_, path, cookie := s.underReview(reviewFileText)
	preview := strings.TrimSpace(s.do("GET", path+"/preview/?sheet=0&rows=1", "", "Cookie", cookie).Body.String())
	if !strings.HasPrefix(preview, `{"sheets":[{"name":"","hidden":false,"answer":"#1"}],"sheet":0,"rows":[[`) || !strings.HasSuffix(preview, `]],"more":true}`) {
		s.Errorf("the preview is %s", preview)
	}
	for _, wrong := range []string{"?rows=0", "?rows=201", "?sheet=-1", "?sheet=x"} {
		if w := s.send("GET", path+"/preview/"+wrong, "", "Cookie", cookie); w.Code != http.StatusBadRequest {
			s.Errorf("preview%s: %d", wrong, w.Code)
		}
	}
	if w := s.do("POST", path+"/derived-preview/", `{"derived":"[{\"name\":\"Plan\",\"constant\":\"Basic\"}]"}`, "Cookie", cookie); !strings.HasPrefix(w.Body.String(), `{"rows":[["Basic"]`) {
		s.Errorf("the preview of an added column is %s", w.Body)
	}
	s.do("POST", path+"/edits/", `{"op":"1","kind":"clear","keys":["email"]}`, "Cookie", cookie)
	for _, wrong := range []string{`{}`, `{"column:nobody":"1"}`, `{"column:email":"77"}`, `{"sheet":"Odd"}`, `{"encoding":"odd"}`} {
		if w := s.send("POST", path+"/layout/", `{"answers":`+wrong+`}`, "Cookie", cookie); w.Code != http.StatusBadRequest {
			s.Errorf("%s: status %d %s", wrong, w.Code, w.Body)
		}
	}
	before := s.do("GET", path+"/layout/", "", "Cookie", cookie).Body.String()
	if !strings.Contains(before, `"changes":1`) {
		s.Errorf("the layout is %s", before)
	}
	if got := s.do("POST", path+"/layout/", `{"answers":{"column:phone":"3"}}`, "Cookie", cookie).Body.String(); !strings.Contains(got, `"status":"PENDING"`) {
		s.Errorf("the answer is %s", got)
	}
	if w := s.send("POST", path+"/layout/", `{"answers":{"column:phone":"2"}}`, "Cookie", cookie); w.Code != http.StatusConflict {
		s.Errorf("while it is pending: status %d %s", w.Code, w.Body)
	}
	s.runAll()
	after := s.do("GET", path+"/layout/", "", "Cookie", cookie).Body.String()
	for _, want := range []string{`"status":"NEEDS_REVIEW"`, `{"index":2,"header":"Phone 1","examples":["1","3"],"field":null}`, `"answers":{"column:phone":"3"},"changes":0`, `"decided":"person"`} {
		if !strings.Contains(after, want) {
			s.Errorf("the layout lacks %s:\n%s", want, after)
		}
	}
	if rows := s.do("GET", path+"/rows/", "", "Cookie", cookie).Body.String(); !strings.Contains(rows, `"total":3`) || !strings.Contains(rows, `ada@example.org`) {
		s.Errorf("the rows are %s", rows)
	}
	if got := s.do("POST", path+"/layout/", `{"answers":{"header_row":"2"}}`, "Cookie", cookie).Body.String(); !strings.Contains(got, `"answers":{"header_row":"2"}`) {
		s.Errorf("answers about other columns are kept: %s", got)
	}
	s.runAll()
}

// TestAnswersWouldDiscard checks that answers that would discard changes to rows are refused
// unless the request allows it, both on the review page and through the backend API.
func TestAnswersWouldDiscard(t *testing.T) {
	s := newServer(t, nil)
	id, path, cookie := s.underReview(reviewFileText)
	s.do("POST", path+"/edits/", `{"op":"1","kind":"clear","keys":["email"]}`, "Cookie", cookie)
	const answers = `{"answers":{"value:country:XX":"FR"}`
	for _, path := range []string{path + "/questions/", "/api/v1/headless/imports/" + id + "/questions/"} {
		w := s.send("POST", path, answers+`}`, "Cookie", cookie)
		if got := w.Body.String(); w.Code != http.StatusConflict || !strings.Contains(got, `"code":"discards_changes"`) || !strings.Contains(got, `"changes":1`) {
			t.Errorf("%s: status %d %s", path, w.Code, got)
		}
		if w = s.send("POST", path, answers+`,"discard":"yes"}`, "Cookie", cookie); w.Code != http.StatusBadRequest {
			t.Errorf("%s: status %d %s", path, w.Code, w.Body)
		}
	}
	if got := s.do("POST", path+"/questions/", answers+`,"discard":true}`, "Cookie", cookie).Body.String(); !strings.Contains(got, `"status":"PENDING"`) {
		t.Errorf("the answer is %s", got)
	}
	s.runAll()
}

// TestTruncatedValuesAreMarked checks a value of the maximum length and one that is one byte
// longer. Only the latter is marked as truncated.
func TestTruncatedValuesAreMarked(t *testing.T) {
	s := newServer(t, nil)
	whole := strings.Repeat("w", maxCellText-len("…")) + "…"
	longer := strings.Repeat("q", maxCellText+1)
	_, path, cookie := s.underReview("E-Mail,Country,Phone\nada@example.org,DE,3\n" + whole + ",DE,1\n" + longer + ",DE,2\n")
	var got wire.ReviewValues
	check(t, json.Unmarshal(s.do("GET", path+"/values/?of=email&show=errors", "", "Cookie", cookie).Body.Bytes(), &got))
	want := []wire.ReviewValue{
		{Text: whole, Count: 1, Suggestions: []wire.ReviewSuggestion{}},
		{Text: longer[1:] + "…", Count: 1, Suggestions: []wire.ReviewSuggestion{}, Cut: true},
	}
	if diff := cmp.Diff(want, got.Values); diff != "" {
		t.Errorf("the values: %.1000s", diff)
	}
}

// TestReviewRefuses checks that invalid calls to the operations of a review are refused.
func TestReviewRefuses(t *testing.T) {
	s := newServer(t, nil)
	_, path, cookie := s.underReview(reviewFileText)
	for _, what := range []string{"/rows/?count=1001", "/rows/?from=-1", "/rows/?from=x", "/rows/?show=odd", "/rows/?key=nobody", "/rows/?in=nobody", "/rows/?also=x", "/rows/?also=%7B%22nobody%22:[]%7D", "/values/?of=nobody", "/values/?of=email&limit=x", "/next/?row=x"} {
		if w := s.send("GET", path+what, "", "Cookie", cookie); w.Code != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", what, w.Code, w.Body)
		}
	}
	for _, change := range []string{
		`"kind":"odd"`, `"kind":"set"`, `"kind":"set","cells":[]`, `"kind":"set","cells":[{"key":"email","text":"x"}]`, `"kind":"set","cells":[{"id":"x","key":"email","text":"x"}]`,
		`"kind":"set","cells":[{"id":"1","key":"nobody","text":"x"}]`, `"kind":"set","cells":[{"id":"99","key":"email","text":"x"}]`, `"kind":"add"`, `"kind":"add","rows":[]`,
		`"kind":"mapValue","find":"x","text":"y"`, `"kind":"fill","keys":["nobody"],"text":""`, `"kind":"delete","where":{"rows":["-1"]}`, `"kind":"case","to":"odd"`,
		`"kind":"replace","find":"(","expression":true`, `"kind":"replace","find":"x","names":{"nobody":{}}`, `"kind":"replace","find":""`,
	} {
		w := s.send("POST", path+"/edits/", `{"op":"o",`+change+`}`, "Cookie", cookie)
		var body struct{ Detail, Code string }
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusBadRequest && w.Code != http.StatusConflict || body.Detail == "" || body.Code == "" {
			t.Errorf("%s: status %d: %s", change, w.Code, w.Body)
		}
	}
	for _, site := range []string{"cross-site", "same-site"} {
		if w := s.send("POST", path+"/undo/", `{"op":"o"}`, "Cookie", cookie, "Sec-Fetch-Site", site); w.Code != http.StatusForbidden {
			t.Errorf("a call from a page of another site: status %d", w.Code)
		}
	}
}
