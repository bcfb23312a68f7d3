package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// callInfo is what is known of a call when it comes to telling why it failed.
type callInfo struct {
	// hooks are the names of those that were to be called, of which group is
	// what they have in common.
	hooks []string
	group string
	// firstRow and rows are the data rows that row hooks were called with; no single
	// row is told of other hooks.
	firstRow, rowCount int64
	// update says that a person changed them.
	update bool
	// minRowTime is how long one row must have taken at least to be the one that a
	// deadline is blamed on.
	minRowTime time.Duration
	// slow says that the call takes longer than it may.
	slow func() intray.Message
	// within adds to a reason what kind of call it was; nil adds nothing.
	within func(reason intray.Message) intray.Message
}

// hookNames are the hooks of a group, by their names.
func (s *Session) hookNames(kind jsruntime.HookKind) (names []string) {
	for _, hook := range s.sources {
		if hook.Kind == kind {
			names = append(names, hook.Name)
		}
	}
	return names
}

func (s *Session) loadCallInfo() callInfo {
	c := callInfo{group: "hooks"}
	for _, hook := range s.sources {
		c.hooks = append(c.hooks, hook.Name)
	}
	c.slow = func() intray.Message {
		return intray.NewMessage("hook.slow_to_load", intray.Params{"limit": formatDuration(s.cfg.BatchTimeout)})
	}
	c.within = func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.while_loading", intray.Params{"reason": reason})
	}
	return c
}

// slow says that a call with so many rows takes longer than it may.
func (s *Session) slow(rows int) intray.Message {
	budget := s.callBudget(rows)
	switch {
	case rows <= batchRows:
		return intray.NewMessage("hook.slow_for_thousand_rows", intray.Params{"limit": formatDuration(budget)})
	case budget == s.cfg.CallTimeout:
		return intray.NewMessage("hook.slow_for_any_rows", intray.Params{"limit": formatDuration(budget)})
	}
	return intray.NewMessage("hook.slow_for_rows", intray.Params{"limit": formatDuration(budget), "n": rows, "each": formatDuration(s.cfg.BatchTimeout)})
}

// formatDuration is a length of time: 5 s, 400 ms.
func formatDuration(d time.Duration) intray.Message {
	if d%time.Second == 0 {
		return intray.NewMessage("duration.seconds", intray.Params{"n": int(d / time.Second)})
	}
	return intray.NewMessage("duration.milliseconds", intray.Params{"n": d.Milliseconds()})
}

// formatMegabytes gives bytes as the flags take them.
func formatMegabytes(bytes int64) intray.Message {
	return intray.NewMessage("size.megabytes", intray.Params{"n": bytes >> 20})
}

func (s *Session) memoryLimitText() intray.Message {
	return intray.NewMessage("hook.out_of_memory", intray.Params{"limit": formatMegabytes(s.pool.Memory())})
}

// explainWorkerError makes of the death of a worker what is to be told: hooks killed it, or
// the machinery failed.
func (s *Session) explainWorkerError(ctx context.Context, err error, c callInfo) error {
	var dead *sandbox.Failure
	var long *sandbox.TooLongError
	switch {
	case err != nil && ctx.Err() == nil && errors.As(err, &long):
		return &intray.HookError{Hook: c.hookOrGroup(), Text: intray.NewMessage("hook.input_too_large", intray.Params{"limit": formatMegabytes(int64(long.Most))})}
	case ctx.Err() != nil || !errors.As(err, &dead):
		return err
	}
	var text intray.Message
	switch dead.Kind {
	case sandbox.KindDeadline:
		text = c.slow()
	case sandbox.KindMemory:
		text = s.memoryLimitText()
	case sandbox.KindThreads:
		text = intray.NewMessage("hook.too_many_threads", nil)
	case sandbox.KindDied:
		text = intray.NewMessage("hook.process_ended", nil)
	case sandbox.KindKilled:
		text = intray.NewMessage("hook.process_killed", intray.Params{"n": len(retryDelays) + 1})
	case sandbox.KindProtocol, sandbox.KindOutput:
		text = intray.NewMessage("hook.invalid_answer", nil)
	case sandbox.KindFault:
		text = intray.NewMessage("hook.engine_failed", nil)
	default:
		return err
	}
	hook, row := c.locateFailure(dead)
	if row == nil && c.rowCount > 0 {
		text = intray.NewMessage("hook.within_rows", intray.Params{"reason": text, "first": c.firstRow + 1, "last": c.firstRow + c.rowCount})
	}
	if c.within != nil {
		text = c.within(text)
	}
	return &intray.HookError{Hook: hook, Row: row, Text: text}
}

// locateFailure reads what the worker noted last: which hook ran, and on which row. What
// it wrote may be forged, so it must fit the call. A row is to blame if it took
// more of the time than many others.
func (c *callInfo) locateFailure(dead *sandbox.Failure) (hook string, row *int64) {
	hook, place, _ := strings.Cut(dead.Note, " ")
	if !slices.Contains(c.hooks, hook) {
		return c.hookOrGroup(), nil
	}
	index, err := strconv.ParseInt(place, 10, 64)
	switch {
	case err != nil:
		return hook, nil
	case index < c.firstRow || index >= c.firstRow+c.rowCount:
		return c.hookOrGroup(), nil
	case dead.Kind == sandbox.KindDeadline && dead.Noted < c.minRowTime:
		return c.hookOrGroup(), nil
	}
	return hook, &index
}

// hookOrGroup is the hook where it is not known: its group, where that has several.
func (c *callInfo) hookOrGroup() string {
	if len(c.hooks) == 1 {
		return c.hooks[0]
	}
	return c.group
}

// hookError is the error of a hook that its engine told of.
func (s *Session) hookError(f *jsruntime.Failure, c callInfo) *intray.HookError {
	e := &intray.HookError{Hook: f.Hook, Line: f.Line, Column: f.Column}
	switch f.Kind {
	case jsruntime.KindTime:
		e.Text = c.slow()
	case jsruntime.KindMemory:
		e.Text = s.memoryLimitText()
	case jsruntime.KindNull:
		e.Text = intray.NewMessage("hook.threw_null", intray.Params{"limit": formatMegabytes(s.pool.Memory())})
	case jsruntime.KindStuck:
		e.Text = intray.NewMessage("hook.promise_never_settles", nil)
	default:
		e.Text = intray.Literal(joinErrorText(f.Name, f.Message)) // the words of the hook, or of what runs it
	}
	if e.Hook == "" {
		e.Hook = c.hookOrGroup()
	}
	if f.Row >= 0 {
		row := f.Row
		e.Row = &row
	}
	return e
}

// unreadableAnswer is what an answer comes to that is none. Only a hook that meddles
// with what writes it brings that about: one of the call that ends with the note.
func unreadableAnswer(err error, note string) error {
	return &sandbox.Failure{Kind: sandbox.KindProtocol, Detail: "its answer cannot be read: " + err.Error(), Exit: -1, Note: note, Cause: err}
}

// faultError is what a fault comes to: one of no hook is one of the machinery.
func faultError(f jsruntime.Fault) error {
	if f.Hook == "" {
		return fmt.Errorf("load the hooks: %s", joinErrorText(f.Name, f.Message))
	}
	return &intray.HookError{Hook: f.Hook, Line: f.Line, Column: f.Column, Text: intray.Literal(joinErrorText(f.Name, f.Message)), Load: true}
}

func joinErrorText(name, message string) string {
	if name == "" {
		return message
	}
	return name + ": " + message
}

// retryDelays are those before what a worker was about is tried again, after something
// else than a hook killed it: a system that has no memory left may have some then.
// No hook brings that about, so their number is no matter to a hostile one.
var retryDelays = []time.Duration{0, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// retryCount counts how often that happened in a row.
type retryCount int

// waitBeforeRetry waits where something is to be tried once more.
func (t *retryCount) waitBeforeRetry(ctx context.Context, err error) bool {
	if !isKilledExternally(err) || int(*t) == len(retryDelays) {
		return false
	}
	select {
	case <-time.After(retryDelays[*t]):
	case <-ctx.Done():
		return false
	}
	*t++
	return true
}

// isKilledExternally says that something else ended a worker, as a system does that has no
// memory left, or an operator. That is no fault of a hook.
func isKilledExternally(err error) bool {
	var dead *sandbox.Failure
	return errors.As(err, &dead) && dead.Kind == sandbox.KindKilled
}
