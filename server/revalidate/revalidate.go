// Package revalidate parses and validates edited rows exactly as the run that staged them did.
// It uses the same plan, the same date and number formats, and the same hooks.
package revalidate

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/rowplan"
)

// Revalidator applies edits to staged rows and revalidates them. All methods except
// Close are safe for concurrent use. Close must be the last call.
type Revalidator struct {
	plan *rowplan.Plan
	// hookSources are the hooks that process edited rows. loadHooks loads them when the
	// first change is made.
	hookSources intray.Hooks
	loadHooks   func(ctx context.Context) (engine.HookRunner, error)
	// hooked is set if values may come from hooks.
	hooked bool
	mu     sync.Mutex
	hooks  engine.HookRunner
}

// Open returns a Revalidator for the rows that a run staged. out is the outcome of that run.
func Open(e *engine.Engine, imp engine.Import, out *engine.Outcome) (*Revalidator, error) {
	plan, err := rowplan.Compile(out.Schema(imp.Schema), out.Mapping, out.Headers)
	if err != nil {
		return nil, err
	}
	for i := range plan.Fields {
		form, decided := out.Forms[plan.Keys[i]]
		parser, sniffs := plan.Fields[i].Parser.(celltype.SniffingParser)
		if !decided || !sniffs {
			continue
		}
		if plan.Fields[i].Parser, err = parser.Restore(form); err != nil {
			return nil, fmt.Errorf("restore the format of field %q: %w", plan.Keys[i], err)
		}
	}
	for i, key := range plan.Keys {
		if slices.Contains(out.ReadMissing, key) {
			plan.ReadMissingMarkers(i)
		}
	}
	plan.ReadListedMarkers()
	plan.ApplyLearnedValues(imp.Answers, imp.Memory.Values)
	hooks := imp.Schema.Hooks
	d := &Revalidator{plan: plan, hooked: len(hooks.Row)+len(hooks.BulkRow)+len(hooks.Column) > 0}
	if len(hooks.Row)+len(hooks.BulkRow)+len(hooks.RowDelete) > 0 {
		hooks = intray.Hooks{Row: hooks.Row, BulkRow: hooks.BulkRow, RowDelete: hooks.RowDelete}
		d.hookSources = hooks
		d.loadHooks = func(ctx context.Context) (engine.HookRunner, error) { return e.LoadHooks(ctx, hooks, imp.HookEnv) }
	}
	return d, nil
}

// Close closes the hooks.
func (d *Revalidator) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hooks == nil {
		return nil
	}
	hooks := d.hooks
	d.hooks = nil
	return hooks.Close()
}

// openHooks returns the hooks. It loads them on the first call. It returns nil if the schema
// has no hooks.
func (d *Revalidator) openHooks(ctx context.Context) (engine.HookRunner, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hooks != nil || d.loadHooks == nil {
		return d.hooks, nil
	}
	hooks, err := d.loadHooks(ctx)
	if err != nil {
		return nil, err
	}
	d.hooks = hooks
	return hooks, nil
}

// Deleted calls the delete hooks with rows that a reviewer is deleting. It reads the
// rows only if there are such hooks.
func (d *Revalidator) Deleted(ctx context.Context, rows iter.Seq2[*intray.Batch, error]) error {
	hooks, err := d.openHooks(ctx)
	if err != nil || hooks == nil || len(d.hookSources.RowDelete) == 0 {
		return err
	}
	for b, err := range rows {
		if err == nil {
			err = hooks.NotifyDeleted(ctx, d.updateRows(b))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// BlankRows returns the rows that result from parsing empty cells.
func (d *Revalidator) BlankRows(first int64, rows int) *intray.Batch {
	recs := intray.Records{First: first}
	for range rows {
		for range d.plan.Columns {
			recs.AppendCell(nil)
		}
		recs.EndRecord(0)
	}
	b := &intray.Batch{}
	d.plan.Parse(&recs, b, make([]byte, 0, rowplan.ScratchBytes))
	d.plan.FoldColumns(b)
	return b
}

// Change applies edits to a staged batch in order, runs the hooks, and validates the rows again.
// If a hook fails, Change returns an [*intray.HookError] and the batch is invalid. Change keeps
// the problems of cross-row validators, because it does not know all rows.
func (d *Revalidator) Change(ctx context.Context, b *intray.Batch, edits []rowplan.Edit) error {
	if len(b.Fields) != len(d.plan.Fields) {
		return fmt.Errorf("the batch has %d fields, and the schema %d", len(b.Fields), len(d.plan.Fields))
	}
	if err := d.plan.UnfoldColumns(b); err != nil {
		return err
	}
	others := d.plan.SplitProblems(b)
	if err := d.plan.ApplyEdits(b, edits); err != nil {
		return err
	}
	if err := d.runHooks(ctx, b); err != nil {
		return err
	}
	if err := d.plan.ApplyRules(b); err != nil {
		return fmt.Errorf("validate the edited rows: %w", err)
	}
	d.plan.FoldColumns(b)
	b.Problems = append(b.Problems, others...)
	slices.SortStableFunc(b.Problems, rowplan.CompareProblems)
	return nil
}

// runHooks runs the hooks on edited rows. Bulk hooks run first and see only these
// rows. Row hooks run afterwards.
func (d *Revalidator) runHooks(ctx context.Context, b *intray.Batch) error {
	hooks, err := d.openHooks(ctx)
	if err != nil || hooks == nil {
		return err
	}
	scratch := make([]byte, 0, rowplan.ScratchBytes)
	for _, kind := range []struct {
		hooks int
		call  func(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	}{{len(d.hookSources.BulkRow), hooks.RunBulk}, {len(d.hookSources.Row), hooks.RunRows}} {
		for hook := range kind.hooks {
			changes, err := kind.call(ctx, hook, d.updateRows(b))
			if err == nil {
				err = d.plan.ApplyChanges(b, changes, scratch)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// updateRows returns edited rows in the form that hooks receive.
func (d *Revalidator) updateRows(b *intray.Batch) intray.HookRows {
	rows := d.plan.HookRows(d.plan.HookView(b))
	rows.Update = true
	return rows
}

// ValueDiffers reports whether the value of a cell differs from the value that its raw value
// parses to. They differ if a hook set the value, or if a workbook displays the value with less
// precision. If no hook can set values, ValueDiffers returns false.
func (d *Revalidator) ValueDiffers(field int, text, v string) bool {
	return d.hooked && field >= 0 && field < len(d.plan.Fields) && !d.plan.Fields[field].ParsesTo([]byte(text), []byte(v))
}

// TypedText returns text that, entered into a cell of the field, parses to the same value as a
// cell of a workbook. It tries the displayed text, the stored value, and the stored value with a
// decimal comma. If none of them works, it returns the displayed text.
func (d *Revalidator) TypedText(field int, shown string, kind intray.CellKind, stored string) string {
	if kind == intray.CellText || field < 0 || field >= len(d.plan.Fields) {
		return shown
	}
	parser := d.plan.Fields[field].Parser
	if parser == nil {
		return shown
	}
	parse := func(c celltype.Cell) (string, bool) {
		r := parser.Parse(c, nil)
		return string(rowplan.ResultText(c.Raw, r)), r.State == celltype.Unchanged || r.State == celltype.Parsed
	}
	want, valid := parse(celltype.Cell{Raw: []byte(shown), Kind: kind, Typed: []byte(stored)})
	if !valid {
		return shown
	}
	for _, text := range []string{shown, stored, strings.Replace(stored, ".", ",", 1)} {
		if got, valid := parse(celltype.Cell{Raw: []byte(text)}); valid && got == want {
			return text
		}
	}
	return shown
}

// Count adds a batch to the counts and lists of an outcome. Call it with the batches in order.
func (d *Revalidator) Count(b *intray.Batch, out *engine.Outcome) {
	out.AddSummary(d.plan.Summarize(b))
}
