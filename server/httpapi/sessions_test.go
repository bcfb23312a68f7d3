package httpapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIfMatch(t *testing.T) {
	many := strings.Repeat(`"x",`, maxTags)
	for _, c := range []struct {
		values []string
		want   []string
		wrong  bool
	}{
		{nil, nil, false},
		{[]string{`"a"`}, []string{"a"}, false},
		{[]string{` "a" , "b"`}, []string{"a", "b"}, false},
		{[]string{`"a"`, `"b"`}, []string{"a", "b"}, false},
		{[]string{`"a",,"b",`}, []string{"a", "b"}, false},
		{[]string{`*`}, []string{"*"}, false},
		{[]string{`W/"a"`}, []string{}, false},
		{[]string{`W/"a", "b"`}, []string{"b"}, false},
		{[]string{`"a,b"`}, []string{"a,b"}, false},
		{[]string{`"*"`}, []string{}, false},
		{[]string{`""`}, []string{}, false},
		{[]string{many[:len(many)-1]}, strings.Split(strings.Repeat("x", maxTags), ""), false},
		{[]string{many + `"x"`}, nil, true},
		{[]string{``}, nil, true},
		{[]string{`a`}, nil, true},
		{[]string{`"a`}, nil, true},
		{[]string{`"a" "b"`}, nil, true},
		{[]string{`"a", *`}, nil, true},
		{[]string{`w/"a"`}, nil, true},
		{[]string{`""*""`}, nil, true},
	} {
		got, err := ifMatch(c.values)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != c.wrong {
			t.Errorf("%q: error %v (-want +got):\n%s", c.values, err, diff)
		}
	}
}

func TestStateUponOneOfManyTags(t *testing.T) {
	s := newServer(t, nil)
	const state = "/api/widget/session/v2/state/"
	token := s.text(s.do("POST", "/api/widget/session/v2/auth/", ""), "hydrationId")
	tag := s.do("PUT", state, `{}`, "X-Hydration-Id", token).Header().Get("ETag")
	for _, c := range []struct {
		ifMatch string
		status  int
	}{
		{"W/" + tag, 412}, {`"x", "y"`, 412}, {`"*"`, 412}, {`""*""`, 400}, {"x", 400},
		{`"x", ` + tag, 200}, {tag + `, "x"`, 200}, {"*", 200},
	} {
		if w := s.send("PUT", state, `{}`, "X-Hydration-Id", token, "If-Match", c.ifMatch); w.Code != c.status {
			t.Errorf("If-Match: %s: status %d, want %d: %s", c.ifMatch, w.Code, c.status, w.Body)
		}
	}
}

func TestMediaType(t *testing.T) {
	const none = "application/octet-stream"
	for sent, want := range map[string]string{
		"text/csv": "text/csv", "Text/CSV; charset=utf-8": "Text/CSV; charset=utf-8", "": none, "csv": none, "a/b/c": none,
		"text/csv; x": none, "text/" + strings.Repeat("x", 250): "text/" + strings.Repeat("x", 250), "text/" + strings.Repeat("x", 251): none, "<script>": none,
	} {
		if got := mediaType(sent); got != want {
			t.Errorf("%q is kept as %q, want %q", sent, got, want)
		}
	}
}
