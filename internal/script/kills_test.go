package script_test

import (
	"context"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script"
	"github.com/intraydata/intray/internal/script/cage"
)

// endless are ways never to end. QuickJS breaks the first off by itself; of the
// others nothing is known but what was noted before.
var endless = map[string]string{
	"loop":   `for (;;);`,
	"native": `[].includes.call({length: 2 ** 53 - 1}, 1);`,
}

// calls are one for each kind of hooks: the second hook of each never ends.
var calls = map[string]func(ctx context.Context, s *script.Script, body string) error{
	"stepHooks[2]": func(ctx context.Context, s *script.Script, body string) error {
		hooks := intray.Hooks{Step: []intray.StepHook{{Step: intray.ReviewStepPost, Source: "() => {}"}, {Step: intray.UploadStep, Source: "() => {}"}, {Step: intray.UploadStep, Source: body}}}
		return with(ctx, s, hooks, func(session *script.Session) error {
			_, err := session.Step(ctx, intray.StepCall{Step: intray.UploadStep, Fields: countFields})
			return err
		})
	},
	"columnHooks[1]": func(ctx context.Context, s *script.Script, body string) error {
		return with(ctx, s, intray.Hooks{Column: []intray.ColumnHook{{Field: "n", Source: "() => {}"}, {Field: "n", Source: body}}}, func(session *script.Session) error {
			_, err := session.Column(ctx, 1, rowsOf(countFields, count(0, 5)))
			return err
		})
	},
	"bulkRowHooks[1]": func(ctx context.Context, s *script.Script, body string) error {
		return with(ctx, s, intray.Hooks{BulkRow: []string{"() => {}", body, "() => {}"}}, func(session *script.Session) error {
			_, err := session.Bulk(ctx, 1, rowsOf(countFields, count(0, 5)))
			return err
		})
	},
	"rowHooks[1]": func(ctx context.Context, s *script.Script, body string) error {
		return with(ctx, s, rowHooks("() => {}", "(record) => { if (record.index === 1203) ("+body+")(); }"), func(session *script.Session) error {
			_, err := session.Rows(ctx, 1, rowsOf(countFields, count(1200, 10)))
			return err
		})
	},
	"beforeFinishCallback": func(ctx context.Context, s *script.Script, body string) error {
		return with(ctx, s, intray.Hooks{BeforeFinish: body}, func(session *script.Session) error {
			about := intray.Finish{Mapping: intray.Mapping{Fields: make([]intray.Match, len(countFields))}}
			_, err := session.Finish(ctx, &intray.Schema{Fields: countFields}, sequence(nil, count(0, 5)), about)
			return err
		})
	},
}

func with(ctx context.Context, s *script.Script, hooks intray.Hooks, do func(*script.Session) error) error {
	session, err := s.Open(ctx, hooks, intray.Pins{})
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	return do(session)
}

// TestTheHookThatKills is named, and its row, however it never ends; and so is the
// limit that it breaks.
func TestTheHookThatKills(t *testing.T) {
	everywhereWith(t, script.Config{Batch: 600 * time.Millisecond}, func(t *testing.T, s *script.Script) {
		for hook, call := range calls {
			for way, body := range endless {
				failed := hookError(t, call(t.Context(), s, "() => { "+body+" }"))
				if failed.Hook != hook || !strings.Contains(failed.Text.String(), "it takes longer than the 600 ms") || !strings.Contains(failed.Text.String(), "--hook-batch") {
					t.Errorf("%s, %s: %v", hook, way, failed)
				}
				if hook == "rowHooks[1]" && (failed.Row == nil || *failed.Row != 1203) {
					t.Errorf("%s, %s: %v", hook, way, failed)
				}
			}
		}
	})
}

// TestTheHookThatHoards is named too.
func TestTheHookThatHoards(t *testing.T) {
	hoards := map[string]string{
		"lists":   "new Array(1000).fill(all.length)",
		"records": "{ one: { two: all.length } }",
		"texts":   `("text " + all.length).repeat(10)`,
		"calls":   "() => all",
	}
	ofRuntimes(t, script.Config{Batch: 30 * time.Second}, cage.Config{Memory: 96 << 20}, func(t *testing.T, s *script.Script) {
		for _, hook := range []string{"bulkRowHooks[1]", "stepHooks[2]", "beforeFinishCallback"} {
			for what, one := range hoards {
				hoard := "() => { const all = []; for (;;) all.push(" + one + "); }"
				if failed := hookError(t, calls[hook](t.Context(), s, hoard)); failed.Hook != hook || !strings.Contains(failed.Text.String(), "96 MB") || !strings.Contains(failed.Text.String(), "--hook-memory") {
					t.Errorf("%s, %s: %v", hook, what, failed)
				}
			}
		}
	})
}

// TestSlowRows: where all rows together take too long, none is blamed alone.
func TestSlowRows(t *testing.T) {
	s := newScript(t, cage.Node, script.Config{Batch: 300 * time.Millisecond}, cage.Config{})
	slow := `// intray: live-clock
	() => { const end = Date.now() + 1; while (Date.now() < end); }`
	err := with(t.Context(), s, rowHooks(slow), func(session *script.Session) error {
		_, err := session.Rows(t.Context(), 0, rowsOf(countFields, count(2000, 1500)))
		return err
	})
	if failed := hookError(t, err); failed.Hook != "rowHooks[0]" || failed.Row != nil || !strings.Contains(failed.Error(), "at one of the data rows 2,001 to 3,000") {
		t.Error(failed)
	}
}

func TestSentencesOfLimits(t *testing.T) {
	s := newScript(t, cage.QuickJS, script.Config{Batch: 300 * time.Millisecond, Quiet: 750 * time.Millisecond}, cage.Config{})
	for rows, want := range map[int]string{
		5:    "longer than the 300 ms that 1,000 rows may take (--hook-batch)",
		2000: "longer than the 600 ms that 2,000 rows may take (300 ms for 1,000: --hook-batch)",
		9000: "longer than 750 ms, and no call may, however many rows it has",
	} {
		err := with(t.Context(), s, intray.Hooks{BulkRow: []string{`() => { for (;;); }`}}, func(session *script.Session) error {
			_, err := session.Bulk(t.Context(), 0, rowsOf(countFields, count(0, rows)))
			return err
		})
		if failed := hookError(t, err); !strings.Contains(failed.Text.String(), want) {
			t.Errorf("%d rows: %v", rows, failed)
		}
	}
}

// TestKilledFromOutside: a worker that something else killed is no fault of a
// hook; what it did is done again.
func TestKilledFromOutside(t *testing.T) {
	everywhereWith(t, script.Config{Seats: 1}, func(t *testing.T, s *script.Script) {
		slow := `// intray: live-clock
		(list) => { const end = Date.now() + 700; while (Date.now() < end); }`
		err := with(t.Context(), s, intray.Hooks{Row: []string{`// intray: live-clock
		(r) => { if (r.index === 5) { const end = Date.now() + 700; while (Date.now() < end); } return {row: {out: {value: r.row.n.value}}}; }`}, BulkRow: []string{slow}}, func(session *script.Session) error {
			if _, err := session.Rows(t.Context(), 0, rowsOf(countFields, count(0, 1))); err != nil {
				return err
			}
			stop := killOne(t)
			changes, err := session.Rows(t.Context(), 0, rowsOf(countFields, count(0, 10)))
			stop()
			if len(changes) != 10 || err != nil {
				t.Errorf("%d changes, %v", len(changes), err)
			}
			stop = killOne(t)
			_, err = session.Bulk(t.Context(), 0, rowsOf(countFields, count(0, 10)))
			stop()
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// killOne kills the process of the tests that computes most, a little later.
func killOne(t *testing.T) (stop func()) {
	t.Helper()
	before := ticks()
	timer := time.AfterFunc(150*time.Millisecond, func() {
		most, victim := -1, 0
		for pid, now := range ticks() {
			if used := now - before[pid]; used > most {
				most, victim = used, pid
			}
		}
		_ = syscall.Kill(victim, syscall.SIGKILL)
	})
	return func() {
		if timer.Stop() {
			t.Error("it was over before anything was killed")
		}
	}
}

// ticks is what the workers computed so far, by their process ids.
func ticks() map[int]int {
	all := map[int]int{}
	for _, stat := range workers() {
		pid, rest, _ := strings.Cut(stat, " ")
		words := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
		id, _ := strconv.Atoi(pid)
		all[id], _ = strconv.Atoi(words[11])
	}
	return all
}
