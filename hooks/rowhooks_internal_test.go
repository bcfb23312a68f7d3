package hooks

import (
	"testing"
	"time"
)

func TestBatchSizer(t *testing.T) {
	var p batchSizer
	want := func(n int) {
		t.Helper()
		if got := p.next(); got != n {
			t.Fatalf("the next call has %d rows, want %d", got, n)
		}
	}
	want(1000)
	p.observe(1000, 10_000, 10*time.Millisecond)
	want(1000) // slow
	p.observe(1000, 10_000, 600*time.Microsecond)
	want(2000) // at most twice as many
	p.observe(2000, 20_000, 1200*time.Microsecond)
	want(4000)
	p.observe(4000, 40_000, 100*time.Microsecond)
	want(5000)
	p.observe(5000, 5_000_000, 100*time.Microsecond)
	want(1000) // long rows
	p.observe(1000, 65_536, time.Millisecond/10)
	want(1500)
	p.observe(1500, 15_000, 4500*time.Microsecond)
	want(1000)
	p.observe(1000, 10_000, 2*time.Millisecond)
	want(1500)
	p.observe(0, 0, 0)
	want(1500)
	p.resetToDefault()
	want(1000)
	p.observe(1000, 1000, 1)
	want(1000)
}
