package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/cage"
	"github.com/intraydata/intray/internal/script/realm"
)

// circumstance is what is known of a call when it comes to telling why it failed.
type circumstance struct {
	// hooks are the names of those that were to be called, of which group is
	// what they have in common.
	hooks []string
	group string
	// first and rows are the data rows that row hooks were called with; no single
	// row is told of other hooks.
	first, rows int64
	// update says that a person changed them.
	update bool
	// share is how long one row must have taken at least to be the one that a
	// deadline is blamed on.
	share time.Duration
	// limit says how long the call may take.
	limit string
	// when says more of the call.
	when string
}

// namesOf are the hooks of a group, by their names.
func (s *Session) namesOf(kind realm.HookKind) (names []string) {
	for _, hook := range realm.HooksOf(s.hooks) {
		if hook.Kind == kind {
			names = append(names, hook.Name)
		}
	}
	return names
}

func (s *Session) loading() circumstance {
	c := circumstance{group: "hooks", when: "while the hooks were read"}
	for _, hook := range realm.HooksOf(s.hooks) {
		c.hooks = append(c.hooks, hook.Name)
	}
	c.limit = fmt.Sprintf("the %v that reading the hooks may take (--hook-batch)", plain(s.cfg.Batch))
	return c
}

// most says how long a call with so many rows may take.
func (s *Session) most(rows int) string {
	budget := s.budget(rows)
	switch {
	case rows <= batchRows:
		return fmt.Sprintf("the %v that 1,000 rows may take (--hook-batch)", plain(budget))
	case budget == s.cfg.Quiet:
		return fmt.Sprintf("%v, and no call may, however many rows it has", plain(budget))
	}
	return fmt.Sprintf("the %v that %s rows may take (%v for 1,000: --hook-batch)", plain(budget), grouped(rows), plain(s.cfg.Batch))
}

// plain writes a length of time: 5 s, 400 ms.
func plain(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.Itoa(int(d/time.Second)) + " s"
	}
	return strconv.Itoa(int(d.Milliseconds())) + " ms"
}

// grouped writes a number with its thousands apart.
func grouped[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// size writes bytes as the flags take them.
func size(bytes int64) string { return strconv.FormatInt(bytes>>20, 10) + " MB" }

func (s *Session) tooMuch() string {
	return "it needs more memory than the " + size(s.cage.Memory()) + " that a process of hooks may hold (--hook-memory)"
}

// broken makes of the death of a worker what is to be told: hooks killed it, or
// the machinery failed.
func (s *Session) broken(ctx context.Context, err error, c circumstance) error {
	var dead *cage.Failure
	var long *cage.TooLongError
	switch {
	case err != nil && ctx.Err() == nil && errors.As(err, &long):
		return &intray.HookError{Hook: c.any(), Text: fmt.Sprintf("what it is to be given is larger than the %s that one call takes. Divide the file, or shorten its cells.", size(int64(long.Most)))}
	case ctx.Err() != nil || !errors.As(err, &dead):
		return err
	}
	text := ""
	switch dead.Kind {
	case cage.KindDeadline:
		text = "it takes longer than " + c.limit
	case cage.KindMemory:
		text = s.tooMuch()
	case cage.KindThreads:
		text = "it starts more threads than it may"
	case cage.KindDied:
		text = "it ended the process that runs it"
	case cage.KindKilled:
		text = fmt.Sprintf("the process that runs it was killed from outside %d times in a row, as a system does that has no memory left", len(pauses)+1)
	case cage.KindProtocol, cage.KindOutput:
		text = "it gives back more than it may, or what cannot be read"
	case cage.KindFault:
		text = "the engine that runs it broke down"
	default:
		return err
	}
	hook, row := c.told(dead)
	if row == nil && c.rows > 0 {
		text += fmt.Sprintf(", at one of the data rows %s to %s", grouped(c.first+1), grouped(c.first+c.rows))
	}
	if c.when != "" {
		text += ", " + c.when
	}
	return &intray.HookError{Hook: hook, Row: row, Text: text + "."}
}

// told reads what the worker noted last: which hook ran, and on which row. What
// it wrote may be forged, so it must fit the call. A row is to blame if it took
// more of the time than many others.
func (c *circumstance) told(dead *cage.Failure) (hook string, row *int64) {
	hook, place, _ := strings.Cut(dead.Note, " ")
	if !slices.Contains(c.hooks, hook) {
		return c.any(), nil
	}
	index, err := strconv.ParseInt(place, 10, 64)
	switch {
	case err != nil:
		return hook, nil
	case index < c.first || index >= c.first+c.rows:
		return c.any(), nil
	case dead.Kind == cage.KindDeadline && dead.Noted < c.share:
		return c.any(), nil
	}
	return hook, &index
}

// any is the hook where it is not known: its group, where that has several.
func (c *circumstance) any() string {
	if len(c.hooks) == 1 {
		return c.hooks[0]
	}
	return c.group
}

// failed is the error of a hook that its engine told of.
func (s *Session) failed(f *realm.Failure, c circumstance) *intray.HookError {
	e := &intray.HookError{Hook: f.Hook, Line: f.Line, Column: f.Column, Text: named(f.Name, f.Message)}
	switch {
	case f.Kind == realm.KindTime:
		e.Text = "it takes longer than " + c.limit + "."
	case f.Kind == realm.KindMemory && strings.HasPrefix(f.Message, "null"): // which any hook may throw
		e.Text += ": it may hold " + size(s.cage.Memory()) + " (--hook-memory)"
	case f.Kind == realm.KindMemory:
		e.Text = s.tooMuch() + "."
	}
	if e.Hook == "" {
		e.Hook = c.any()
	}
	if f.Row >= 0 {
		row := f.Row
		e.Row = &row
	}
	return e
}

// unreadable is what an answer comes to that is none. Only a hook that meddles
// with what writes it brings that about: one of the call that ends with the note.
func unreadable(err error, note string) error {
	return &cage.Failure{Kind: cage.KindProtocol, Detail: "its answer cannot be read: " + err.Error(), Exit: -1, Note: note, Cause: err}
}

// faultError is what a fault comes to: one of no hook is one of the machinery.
func faultError(f realm.Fault) error {
	if f.Hook == "" {
		return fmt.Errorf("load the hooks: %s", named(f.Name, f.Message))
	}
	return &intray.HookError{Hook: f.Hook, Line: f.Line, Column: f.Column, Text: named(f.Name, f.Message), Load: true}
}

func named(name, message string) string {
	if name == "" {
		return message
	}
	return name + ": " + message
}
