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

// callInfo describes a call for the error that is returned if the call fails.
type callInfo struct {
	// hooks are the names of the hooks that the call runs. group is the name for all of them.
	hooks []string
	group string
	// firstRow is the index of the first data row in a call to row hooks, and rowCount is the
	// number of indexes from firstRow to the last row. For other hooks, rowCount is 0 and errors
	// do not include a row.
	firstRow, rowCount int64
	// minRowTime is the minimum time that a hook must have spent on a row before a timeout is
	// attributed to that row.
	minRowTime time.Duration
	// timeoutText returns the reason for a timeout.
	timeoutText func() intray.Message
	// addContext adds the kind of the call to a reason. If addContext is nil, nothing is added.
	addContext func(reason intray.Message) intray.Message
}

func (s *Session) loadCallInfo() callInfo {
	c := callInfo{group: "hooks"}
	for _, hook := range s.sources {
		c.hooks = append(c.hooks, hook.Name)
	}
	c.timeoutText = func() intray.Message {
		return intray.NewMessage("hook.slow_to_load", intray.Params{"limit": formatDuration(s.cfg.BatchTimeout)})
	}
	c.addContext = func(reason intray.Message) intray.Message {
		return intray.NewMessage("hook.while_loading", intray.Params{"reason": reason})
	}
	return c
}

// timeoutText returns the reason for a timeout of a call with this many rows.
func (s *Session) timeoutText(rows int) intray.Message {
	budget := s.callBudget(rows)
	switch {
	case rows <= batchRows:
		return intray.NewMessage("hook.slow_for_thousand_rows", intray.Params{"limit": formatDuration(budget)})
	case budget == s.cfg.CallTimeout:
		return intray.NewMessage("hook.slow_for_any_rows", intray.Params{"limit": formatDuration(budget)})
	}
	return intray.NewMessage("hook.slow_for_rows", intray.Params{"limit": formatDuration(budget), "n": rows, "each": formatDuration(s.cfg.BatchTimeout)})
}

// formatDuration formats a duration in whole seconds if possible, and in milliseconds otherwise.
func formatDuration(d time.Duration) intray.Message {
	if d%time.Second == 0 {
		return intray.NewMessage("duration.seconds", intray.Params{"n": int(d / time.Second)})
	}
	return intray.NewMessage("duration.milliseconds", intray.Params{"n": d.Milliseconds()})
}

// formatMegabytes formats a size in the unit that the flags use.
func formatMegabytes(bytes int64) intray.Message {
	return intray.NewMessage("size.megabytes", intray.Params{"n": bytes >> 20})
}

func (s *Session) memoryLimitText() intray.Message {
	return intray.NewMessage("hook.out_of_memory", intray.Params{"limit": formatMegabytes(s.pool.Memory())})
}

// explainWorkerError returns an [*intray.HookError] if a hook ended its worker or a request was
// too long. Otherwise, it returns err.
func (s *Session) explainWorkerError(ctx context.Context, err error, c callInfo) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var long *sandbox.TooLongError
	if errors.As(err, &long) {
		return &intray.HookError{Hook: c.hookOrGroup(), Text: intray.NewMessage("hook.input_too_large", intray.Params{"limit": formatMegabytes(int64(long.Most))})}
	}
	var dead *sandbox.Failure
	if !errors.As(err, &dead) {
		return err
	}
	var text intray.Message
	switch dead.Kind {
	case sandbox.KindDeadline:
		text = c.timeoutText()
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
	if c.addContext != nil {
		text = c.addContext(text)
	}
	return &intray.HookError{Hook: hook, Row: row, Text: text}
}

// locateFailure returns the hook and the row in the last note from a worker. The worker may have
// forged the note, so both must belong to the call. A timeout is attributed to a row only if the
// row took at least minRowTime.
func (c *callInfo) locateFailure(dead *sandbox.Failure) (hook string, row *int64) {
	hook, position, _ := strings.Cut(dead.Note, " ")
	if !slices.Contains(c.hooks, hook) {
		return c.hookOrGroup(), nil
	}
	index, err := strconv.ParseInt(position, 10, 64)
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

// hookOrGroup returns the name of the hook if there is only one, and otherwise the name of
// the group.
func (c *callInfo) hookOrGroup() string {
	if len(c.hooks) == 1 {
		return c.hooks[0]
	}
	return c.group
}

// hookError returns the error for a failure that the engine reported.
func (s *Session) hookError(f *jsruntime.Failure, c callInfo) *intray.HookError {
	e := &intray.HookError{Hook: f.Hook, Line: f.Line, Column: f.Column}
	switch f.Kind {
	case jsruntime.KindTime:
		e.Text = c.timeoutText()
	case jsruntime.KindMemory:
		e.Text = s.memoryLimitText()
	case jsruntime.KindNull:
		e.Text = intray.NewMessage("hook.threw_null", intray.Params{"limit": formatMegabytes(s.pool.Memory())})
	case jsruntime.KindStuck:
		e.Text = intray.NewMessage("hook.promise_never_settles", nil)
	default:
		e.Text = intray.Literal(joinErrorText(f.Name, f.Message)) // text from the hook or its engine
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

// unreadableAnswer returns the error for an answer that cannot be read. Only a hook that tampers
// with the code that writes answers can cause this. note contains the name of a hook in the call.
func unreadableAnswer(err error, note string) error {
	return &sandbox.Failure{Kind: sandbox.KindProtocol, Detail: "its answer cannot be read: " + err.Error(), Exit: -1, Note: note, Cause: err}
}

// errRepeatedColumns is the error for an answer that requests columns that were already sent.
var errRepeatedColumns = unreadableAnswer(errors.New("it asks for columns that it has"), "")

// faultError returns the error for a hook that cannot be loaded. A fault without a hook is
// an internal error of the service.
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
