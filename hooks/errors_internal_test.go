package hooks

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
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

// TestLocateFailure checks which hook and row locateFailure returns for a note from a worker.
// A worker may forge its notes.
func TestLocateFailure(t *testing.T) {
	rows := callInfo{hooks: []string{"rowHooks[0]"}, firstRow: 10, rowCount: 5, minRowTime: time.Second}
	several := callInfo{hooks: []string{"stepHooks[0]", "stepHooks[1]"}, group: "stepHooks"}
	for _, c := range []struct {
		info  callInfo
		note  string
		kind  sandbox.Kind
		noted time.Duration
		hook  string
		row   int64
	}{
		{rows, "rowHooks[0] 10", sandbox.KindMemory, 0, "rowHooks[0]", 10},
		{rows, "rowHooks[0] 14", sandbox.KindMemory, 0, "rowHooks[0]", 14},
		{rows, "rowHooks[0] 9", sandbox.KindMemory, 0, "rowHooks[0]", -1},
		{rows, "rowHooks[0] 15", sandbox.KindMemory, 0, "rowHooks[0]", -1},
		{rows, "rowHooks[0] x", sandbox.KindMemory, 0, "rowHooks[0]", -1},
		{rows, "", sandbox.KindMemory, 0, "rowHooks[0]", -1},
		{rows, "rowHooks[0] 12", sandbox.KindDeadline, time.Second, "rowHooks[0]", 12},
		{rows, "rowHooks[0] 12", sandbox.KindDeadline, time.Second - 1, "rowHooks[0]", -1},
		{rows, "rowHooks[0] 12", sandbox.KindMemory, time.Second - 1, "rowHooks[0]", 12},
		{several, "stepHooks[1]", sandbox.KindMemory, 0, "stepHooks[1]", -1},
		{several, "stepHooks[2]", sandbox.KindMemory, 0, "stepHooks", -1},
		{several, "stepHooks[1] 0", sandbox.KindMemory, 0, "stepHooks", -1},
	} {
		hook, row := c.info.locateFailure(&sandbox.Failure{Kind: c.kind, Note: c.note, Noted: c.noted})
		if hook != c.hook || (row == nil) != (c.row < 0) || row != nil && *row != c.row {
			t.Errorf("%q, %s after %v: got %s, %v, want %s, %d", c.note, c.kind, c.noted, hook, row, c.hook, c.row)
		}
	}
}

// TestExplainWorkerError checks the message for each failure of a worker, and that any
// other error is returned unchanged.
func TestExplainWorkerError(t *testing.T) {
	s := &Session{Runner: &Runner{pool: &sandbox.Pool{}}}
	info := callInfo{
		hooks: []string{"h"}, timeoutText: func() intray.Message { return intray.Literal("slow") },
		addContext: func(reason intray.Message) intray.Message { return intray.Literal("context: " + reason.String()) },
	}
	for kind, code := range map[sandbox.Kind]string{
		sandbox.KindDeadline: "slow", sandbox.KindMemory: "more than the 0 MB", sandbox.KindThreads: "threads", sandbox.KindDied: "ended",
		sandbox.KindKilled: "5", sandbox.KindProtocol: "too much data", sandbox.KindOutput: "too much data", sandbox.KindFault: "engine",
		sandbox.KindClosed: "", sandbox.KindIdle: "", sandbox.KindStart: "",
	} {
		dead := &sandbox.Failure{Kind: kind}
		err := s.explainWorkerError(context.Background(), dead, info)
		var failed *intray.HookError
		switch is := errors.As(err, &failed); {
		case code == "" && (is || !errors.Is(err, dead)):
			t.Errorf("%s: got %v, want the failure itself", kind, err)
		case code != "" && (!is || failed.Hook != "h" || failed.Row != nil || !strings.HasPrefix(failed.Text.String(), "context: ") || !strings.Contains(failed.Text.String(), code)):
			t.Errorf("%s: got %v, want %q", kind, err, code)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	dead := &sandbox.Failure{Kind: sandbox.KindDeadline}
	for _, c := range []struct {
		ctx context.Context
		err error
	}{{context.Background(), nil}, {context.Background(), io.EOF}, {ctx, dead}} {
		if got := s.explainWorkerError(c.ctx, c.err, info); !errors.Is(got, c.err) {
			t.Errorf("got %v, want %v", got, c.err)
		}
	}
	if got := s.explainWorkerError(context.Background(), &sandbox.TooLongError{Size: 9 << 20, Most: 8 << 20}, info); !strings.Contains(got.Error(), "8 MB") {
		t.Errorf("a request that is too long: %v", got)
	}
}

func TestCallBudget(t *testing.T) {
	s := &Session{Runner: &Runner{cfg: Config{BatchTimeout: time.Second, CallTimeout: 3 * time.Second}}}
	for rows, want := range map[int]time.Duration{
		0: time.Second, 1: time.Second, 1000: time.Second, 1001: 2 * time.Second, 2000: 2 * time.Second, 2001: 3 * time.Second, 9000: 3 * time.Second,
	} {
		if got := s.callBudget(rows); got != want {
			t.Errorf("%d rows may take %v, want %v", rows, got, want)
		}
	}
	s.cfg.CallTimeout = time.Millisecond
	if got := s.callBudget(5000); got != time.Second {
		t.Errorf("with a short CallTimeout: got %v, want BatchTimeout", got)
	}
	if got := s.engineBudget(time.Second); got != 950*time.Millisecond {
		t.Errorf("the engine has %v of a second", got)
	}
}

func TestLazyLimits(t *testing.T) {
	for _, c := range []struct {
		rows, fields int
		want         bool
	}{{10_000, 1, false}, {10_001, 1, true}, {10_000, 10, false}, {1000, 100, false}, {1000, 101, true}, {0, 0, false}} {
		if got := needsLazyCall(c.rows, c.fields); got != c.want {
			t.Errorf("%d rows of %d fields: got %v", c.rows, c.fields, got)
		}
	}
}

// TestFaultError checks that a fault without a hook is reported as a failure of the service.
func TestFaultError(t *testing.T) {
	var failed *intray.HookError
	if err := faultError(jsruntime.Fault{Name: "N", Message: "m"}); err == nil || errors.As(err, &failed) || !strings.HasSuffix(err.Error(), "N: m") {
		t.Errorf("got %v", err)
	}
	err := faultError(jsruntime.Fault{Hook: "h", Message: "m", Line: 2, Column: 3})
	if !errors.As(err, &failed) || failed.Hook != "h" || failed.Line != 2 || failed.Column != 3 || !failed.Load || failed.Text.String() != "m" {
		t.Errorf("got %+v", err)
	}
}

// TestRetries checks that a call is repeated once per delay, and only if something other
// than a hook ended its worker.
func TestRetries(t *testing.T) {
	delays := retryDelays
	t.Cleanup(func() { retryDelays = delays })
	retryDelays = []time.Duration{0, 0}
	killed := &sandbox.Failure{Kind: sandbox.KindKilled}
	var n retryCount
	for i, want := range []bool{true, true, false} {
		if got := n.waitBeforeRetry(t.Context(), killed); got != want {
			t.Errorf("retry %d: %v", i, got)
		}
	}
	for _, err := range []error{nil, io.EOF, &sandbox.Failure{Kind: sandbox.KindDied}} {
		if n = 0; n.waitBeforeRetry(t.Context(), err) || n != 0 {
			t.Errorf("%v is retried", err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	retryDelays = []time.Duration{time.Hour}
	if n = 0; n.waitBeforeRetry(ctx, killed) || n != 0 {
		t.Error("a cancelled call is retried")
	}
}
