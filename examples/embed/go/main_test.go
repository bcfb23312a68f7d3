package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	h := handler(settings{Intray: "https://imports.example.com", Key: "fk_1", Schema: "contacts"}, t.TempDir())
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if got := w.Header().Get("Content-Security-Policy"); !strings.HasSuffix(got, "frame-src https://imports.example.com") {
		t.Errorf("policy: %q", got)
	}
	if !strings.Contains(w.Body.String(), `data-key="fk_1"`) {
		t.Errorf("page: %s", w.Body)
	}
}

func TestReceive(t *testing.T) {
	h := handler(settings{}, t.TempDir())
	for body, want := range map[string]int{`[{"name": "Ada"}]`: http.StatusOK, `{`: http.StatusBadRequest} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/contacts", strings.NewReader(body)))
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", body, w.Code, want)
		}
	}
}
