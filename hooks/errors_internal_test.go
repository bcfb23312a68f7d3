package hooks

import (
	"testing"
	"time"
)

func TestTimeoutText(t *testing.T) {
	s := &Session{Runner: &Runner{cfg: Config{BatchTimeout: 300 * time.Millisecond, CallTimeout: 750 * time.Millisecond}}}
	for rows, want := range map[int]string{
		5:    "it took longer than 300 ms, the limit for 1,000 rows (--hook-timeout-per-1000)",
		2000: "it took longer than 600 ms, the limit for 2,000 rows (300 ms per 1,000: --hook-timeout-per-1000)",
		9000: "it took longer than 750 ms, the limit for any call",
	} {
		if got := s.timeoutText(rows).String(); got != want {
			t.Errorf("%d rows: %s", rows, got)
		}
	}
}
