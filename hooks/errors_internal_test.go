package hooks

import (
	"testing"
	"time"
)

func TestTimeoutText(t *testing.T) {
	s := &Session{Runner: &Runner{cfg: Config{BatchTimeout: 300 * time.Millisecond, CallTimeout: 750 * time.Millisecond}}}
	for rows, want := range map[int]string{
		5:    "it takes longer than the 300 ms that 1,000 rows may take (--hook-timeout-per-1000)",
		2000: "it takes longer than the 600 ms that 2,000 rows may take (300 ms for 1,000: --hook-timeout-per-1000)",
		9000: "it takes longer than 750 ms, and no call may, however many rows it has",
	} {
		if got := s.timeoutText(rows).String(); got != want {
			t.Errorf("%d rows: %s", rows, got)
		}
	}
}
