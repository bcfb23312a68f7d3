package cage

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestNotes: the last one is told where the worker dies in the call, and only
// that of this call.
func TestNotes(t *testing.T) {
	c := open(t, Config{Spares: 2})
	w := lend(t, c)
	if got := ask(t, w, "note one two"); got != "noted" {
		t.Errorf("got %q", got)
	}
	if got := w.Note(); got != "two" {
		t.Errorf("the answer came with the note %q", got)
	}
	if ask(t, w, "echo x"); w.Note() != "" {
		t.Errorf("an answer without notes came with %q", w.Note())
	}
	f := broken(t, w, "note "+strings.Repeat("x ", 5000)+"last spin", 300*time.Millisecond)
	if f.Kind != KindDeadline || f.Note != "last" || f.Noted < 100*time.Millisecond || f.Noted > patient {
		t.Errorf("got %q %v ago, %v", f.Note, f.Noted, f)
	}
	w = lend(t, c)
	ask(t, w, "note one")
	if f := broken(t, w, "spin", 100*time.Millisecond); f.Note != "" || f.Noted != 0 {
		t.Errorf("got %q %v ago", f.Note, f.Noted)
	}
	w = lend(t, c)
	if f := broken(t, w, "raw "+frame('N', 4, "four")+frame('Q', 0, ""), 0); f.Kind != KindProtocol || f.Note != "four" {
		t.Errorf("got %q, %v", f.Note, f)
	}
	for _, forged := range []string{frame('N', longestNote+1, "x"), strings.Repeat(frame('N', 0, ""), mostNotes+1)} {
		if f := broken(t, lend(t, c), "raw "+forged, patient); f.Kind != KindProtocol {
			t.Errorf("%.20q: got %v", forged, f)
		}
	}
}

// TestTryWorker gives none where all are in use, and one as soon as one is gone.
func TestTryWorker(t *testing.T) {
	c := open(t, Config{Workers: 2, Spares: 1})
	first := lend(t, c)
	second, some, err := c.TryWorker(t.Context(), Limits{})
	if err != nil || !some {
		t.Fatalf("no second worker: %v", err)
	}
	t.Cleanup(second.Close)
	for range 3 {
		start := time.Now()
		if w, some, err := c.TryWorker(t.Context(), Limits{}); w != nil || some || err != nil {
			t.Fatalf("got a third worker of two: %v, %v", w, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("it waited %v", took)
		}
	}
	first.Close()
	await(t, "there is room again", func() bool {
		w, some, err := c.TryWorker(t.Context(), Limits{})
		if some {
			ask(t, w, "echo x")
			w.Close()
		}
		return some && err == nil
	})
	c.Close()
	if w, some, err := c.TryWorker(t.Context(), Limits{}); w != nil || some || !errors.Is(err, ErrClosed) {
		t.Errorf("a closed cage gives %v, %v", w, err)
	}
}
