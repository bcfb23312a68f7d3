package apitest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/intraydata/intray/test/livetest"
)

const someID = "0f8fad5b-d9cb-469f-a165-70867728950e"

// answer returns a response. headers alternates names and values.
func answer(status int, body string, headers ...string) *livetest.Reply {
	reply := &livetest.Reply{Status: status, Header: http.Header{}, Body: []byte(body)}
	reply.Header.Set("Content-Type", "application/json")
	reply.Header.Set("X-Request-Id", someID)
	for i := 0; i+1 < len(headers); i += 2 {
		reply.Header.Set(headers[i], headers[i+1])
	}
	return reply
}

// refusal returns an error body with additional properties.
func refusal(detail, code, more string) string {
	return `{"detail":"` + detail + `","code":"` + code + `","request_id":"` + someID + `"` + more + `}`
}

// TestBreaches checks that nothing is reported for valid responses, and that responses that
// violate one rule are reported.
func TestBreaches(t *testing.T) {
	t.Parallel()
	s := &Site{Document: &Document{}}
	s.Secrets.Add("open sesame")
	good := refusal("No import has this ID.", "not_found", "")
	for _, c := range []struct {
		name  string
		reply *livetest.Reply
		want  string
	}{
		{"a refusal", answer(404, good), ""},
		{"with messages", answer(404, refusal("Two fields are wrong.", "invalid", `,"fields":["Nothing found."]`)), ""},
		{"about a property", answer(404, refusal("initial_data is too large.", "too_large", "")), ""},
		{"interim", &livetest.Reply{Status: 100}, ""},
		{"no request ID", answer(404, good, "X-Request-Id", ""), "X-Request-Id"},
		{"another request ID", answer(404, good, "X-Request-Id", strings.Replace(someID, "0", "1", 1)), "request_id"},
		{"unprocessable", answer(422, good), "422"},
		{"a redirect", answer(307, `{}`), "redirects"},
		{"a fault", answer(500, good), "server error"},
		{"too many", answer(429, good), "Retry-After is missing"},
		{"too many, with a time", answer(429, good, "Retry-After", "3"), "does not have this operation"},
		{"a secret", answer(404, refusal("Say open sesame.", "closed", "")), "secret"},
		{"a secret in a header", answer(404, good, "X-Hint", "open sesame"), "secret"},
		{"plain text", answer(404, "no", "Content-Type", "text/plain"), "Content-Type"},
		{"no object", answer(404, `[]`), "not a JSON object"},
		{"no sentence", answer(404, refusal("nothing found", "not_found", "")), "sentence"},
		{"markup", answer(404, refusal("<b>Nothing</b> found.", "not_found", "")), "sentence"},
		{"a code in capitals", answer(404, refusal("Nothing found.", "NotFound", "")), "snake_case"},
		{"a message alone", answer(404, refusal("Nothing found.", "none", `,"fields":"none"`)), "array"},
		{"an empty message", answer(404, refusal("Nothing found.", "none", `,"fields":[""]`)), "non-empty text"},
		{"a number of changes", answer(404, refusal("They would be lost.", "discards_changes", `,"changes":2`)), ""},
		{"no change", answer(404, refusal("They would be lost.", "discards_changes", `,"changes":0`)), "not a positive integer"},
		{"a number elsewhere", answer(404, refusal("Nothing found.", "none", `,"changes":2`)), "array"},
		{"a time of day", answer(404, refusal("Nothing found.", "none", `,"x":[{"created_date":"2026-11-21 06:00"}]`)), "created_date"},
		{"credentials", answer(404, good, "Access-Control-Allow-Credentials", "true"), "credentials"},
		{"undocumented", answer(200, `{}`), "does not have this operation"},
	} {
		got := strings.Join(s.Breaches("GET", "/nothing", c.reply), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: the breaches are %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMatchesTemplate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		template, path string
		want           bool
	}{
		{"/a/{id}/", "/a/7", true},
		{"/a/{id}", "/a/7/", true},
		{"/a/{id}/b", "/a/7", false},
		{"/a/{id}", "/b/7", false},
		{"/a/b", "/a/c", false},
	} {
		if got := MatchesTemplate(c.template, c.path); got != c.want {
			t.Errorf("MatchesTemplate(%q, %q) = %v", c.template, c.path, got)
		}
	}
}
