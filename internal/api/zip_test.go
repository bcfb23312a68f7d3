package api

import (
	"compress/gzip"
	"io"
	"testing"
)

func TestZip(t *testing.T) {
	s := newServer(t, nil)
	_, path, cookie := s.underReview(deskFile)
	plain := s.do("GET", path+"/layout/", "", "Cookie", cookie)
	for accepted, packed := range map[string]bool{"": false, "br": false, "gzip;q=0": false, "br, gzip": true, "GZIP; q=0.5": true} {
		got := s.send("GET", path+"/layout/", "", "Cookie", cookie, "Accept-Encoding", accepted)
		if (got.Header().Get("Content-Encoding") == "gzip") != packed || got.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: headers %v", accepted, got.Header())
		}
		body := io.Reader(got.Body)
		if packed {
			r, err := gzip.NewReader(got.Body)
			check(t, err)
			body = r
		}
		text, err := io.ReadAll(body)
		check(t, err)
		if string(text) != plain.Body.String() {
			t.Errorf("%q: the body is %s", accepted, text)
		}
	}
	if short := s.send("GET", path+"/submit/", "", "Cookie", cookie, "Accept-Encoding", "gzip"); short.Header().Get("Content-Encoding") != "" {
		t.Error("a short answer is packed")
	}
}
