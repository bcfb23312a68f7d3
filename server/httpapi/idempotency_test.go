package httpapi

import (
	"testing"
)

func TestReplayInOneProcess(t *testing.T) {
	s := newServer(t, func(cfg *Config) { cfg.RateCreate = 2 })
	const all = "/api/v1/headless/imports/"
	body := `{` + mailFields + `}`
	first := s.send("POST", all, body, "Idempotency-Key", "k1")
	for range 3 { // replays do not count
		again := s.send("POST", all, body, "Idempotency-Key", "k1")
		if again.Code != 201 || again.Body.String() != first.Body.String() || again.Header().Get("Idempotent-Replay") != "true" {
			t.Errorf("the replay: status %d, %s", again.Code, again.Body)
		}
	}
	if w := s.send("POST", all, `{`+mailFields+`,"settings":{}}`, "Idempotency-Key", "k1"); w.Code != 409 {
		t.Errorf("another request with the key: status %d", w.Code)
	}
	if w := s.send("POST", all, `{}`); w.Code != 400 { // does not count
		t.Errorf("a wrong request: status %d", w.Code)
	}
	if w := s.send("POST", all, body); w.Code != 201 {
		t.Errorf("the second creation: status %d, %s", w.Code, w.Body)
	}
	limited := s.send("POST", all, body, "Idempotency-Key", "k2")
	if limited.Code != 429 || limited.Header().Get("Retry-After") == "" {
		t.Errorf("the third creation: status %d, %v", limited.Code, limited.Header())
	}
	if w := s.send("POST", all, body, "Idempotency-Key", "a b"); w.Code != 400 && w.Code != 429 {
		t.Errorf("a key with a space: status %d", w.Code)
	}
}
