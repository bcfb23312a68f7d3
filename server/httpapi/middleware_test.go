package httpapi

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestZip(t *testing.T) {
	s := newServer(t, nil)
	_, path, cookie := s.underReview("E-Mail,Country\n" + strings.Repeat("nobody,Germny\n", 400))
	// The second is longer than what waits in memory.
	for _, what := range []string{"/layout/", "/rows/?count=400"} {
		s.zipped(path+what, cookie)
	}
	if short := s.send("GET", path+"/submit/", "", "Cookie", cookie, "Accept-Encoding", "gzip"); short.Header().Get("Content-Encoding") != "" {
		t.Error("a short answer is packed")
	}
}

// zipped makes sure that an answer is packed for who takes that, and only then.
func (s *server) zipped(what, cookie string) {
	s.Helper()
	plain := s.do("GET", what, "", "Cookie", cookie)
	for accepted, packed := range map[string]bool{"": false, "br": false, "gzip;q=0": false, "br, gzip": true, "GZIP; q=0.5": true} {
		got := s.send("GET", what, "", "Cookie", cookie, "Accept-Encoding", accepted)
		if (got.Header().Get("Content-Encoding") == "gzip") != packed || got.Header().Get("Vary") != "Accept-Encoding" {
			s.Errorf("%q: headers %v", accepted, got.Header())
		}
		body := io.Reader(got.Body)
		sent := got.Body.Len()
		if packed {
			r, err := gzip.NewReader(got.Body)
			check(s.T, err)
			body = r
		}
		text, err := io.ReadAll(body)
		check(s.T, err)
		if string(text) != plain.Body.String() {
			s.Errorf("%q: the body is %s", accepted, text)
		}
		if packed && sent > len(text)/2 {
			s.Errorf("%q: %d bytes for %d", accepted, sent, len(text))
		}
	}
}
