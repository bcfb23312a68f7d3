package script

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	var p pace
	want := func(n int) {
		t.Helper()
		if got := p.next(); got != n {
			t.Fatalf("%d rows come next, want %d", got, n)
		}
	}
	want(1000)
	p.learn(1000, 10_000, 10*time.Millisecond)
	want(1000) // it is slow
	p.learn(1000, 10_000, 600*time.Microsecond)
	want(2000) // no more than twice as many at once
	p.learn(2000, 20_000, 1200*time.Microsecond)
	want(4000)
	p.learn(4000, 40_000, 100*time.Microsecond)
	want(5000)
	p.learn(5000, 5_000_000, 100*time.Microsecond)
	want(1000) // long rows
	p.learn(1000, 65_536, time.Millisecond/10)
	want(1500)
	p.learn(1500, 15_000, 4500*time.Microsecond)
	want(1000)
	p.learn(1000, 10_000, 2*time.Millisecond)
	want(1500)
	p.learn(0, 0, 0)
	want(1500)
	p.slow()
	want(1000)
	p.learn(1000, 1000, 1)
	want(1000)
}
