package hooks

import (
	"slices"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
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

// TestRecordUsedFields checks that the fields that a hook uses are unknown until a call has asked
// for them, and that later answers only add fields.
func TestRecordUsedFields(t *testing.T) {
	fields := []intray.Field{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	s, hook := &Session{}, &rowHook{}
	for i, c := range []struct {
		answer  jsruntime.Answer
		learned bool
		used    []bool
		known   bool
	}{
		{jsruntime.Answer{Missed: []int{1}}, false, []bool{true, true, true}, false},
		{jsruntime.Answer{Used: []int{0}}, true, []bool{true, false, false}, true},
		{jsruntime.Answer{Missed: []int{2}}, false, []bool{true, false, true}, true},
		{jsruntime.Answer{Used: []int{2}}, true, []bool{true, false, true}, true},
	} {
		s.recordUsedFields(hook, &c.answer, fields, c.learned)
		if used, known := s.usedColumns(hook, fields); !slices.Equal(used, c.used) || known != c.known {
			t.Errorf("after answer %d: %v, known %t, want %v, known %t", i, used, known, c.used, c.known)
		}
	}
}
