// Package revalidate parses and validates staged rows again after somebody changed them,
// exactly as the run of the engine did that staged them: with the same plan, the same
// forms of dates and numbers, and the same hooks.
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

// Revalidator changes staged rows as a person wants: what is typed is read and checked
// as the run read and checked the file. It may be used from several goroutines;
// Close when none of them does.
type Revalidator struct {
	plan *rowplan.Plan
	// hookSources are the hooks that see changed rows, and script makes them ready when the
	// first rows are changed.
	hookSources intray.Hooks
	loadHooks   func(ctx context.Context) (engine.HookRunner, error)
	// hooked says that hooks may have given cells their values.
	hooked bool
	mu     sync.Mutex
	hooks  engine.HookRunner
}

// Open returns a Revalidator for rows that a run of the engine staged with this outcome.
func Open(e *engine.Engine, imp engine.Import, out *engine.Outcome) (*Revalidator, error) {
	plan, err := rowplan.Compile(out.Schema(imp.Schema), out.Mapping, out.Headers)
	if err != nil {
		return nil, err
	}
	for i := range plan.Fields {
		form, decided := out.Forms[plan.Keys[i]]
		parser, surveyed := plan.Fields[i].Parser.(celltype.SniffingParser)
		if !decided || !surveyed {
			continue
		}
		if plan.Fields[i].Parser, err = parser.Restore(form); err != nil {
			return nil, fmt.Errorf("read field %q as the run did: %w", plan.Keys[i], err)
		}
	}
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

// Close lets go of the hooks.
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

// openHooks gives what runs the hooks; nil where there are none.
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

// Deleted tells the hooks for it of rows that a person deletes. Without such hooks
// the rows are not asked for.
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

// BlankRows makes rows as those of a file are that have nothing in any column, for a person
// to add.
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

// Change puts edits, the later over the earlier, into a batch as it was staged,
// lets the hooks see its rows, and checks them again. What a hook does wrong is an
// [intray.HookError]; the batch is of no use then. The problems of rules about all rows of the table are
// left as they are: only who knows all rows can tell which of them still hold.
func (d *Revalidator) Change(ctx context.Context, b *intray.Batch, edits []rowplan.Edit) error {
	if len(b.Fields) != len(d.plan.Fields) {
		return fmt.Errorf("a batch of %d fields is to be changed by a schema of %d", len(b.Fields), len(d.plan.Fields))
	}
	if err := d.plan.UnfoldColumns(b); err != nil {
		return err
	}
	kept := d.plan.SplitProblems(b)
	if err := d.plan.ApplyEdits(b, edits); err != nil {
		return err
	}
	if err := d.runHooks(ctx, b); err != nil {
		return err
	}
	d.plan.Rules.Apply(b)
	d.plan.FoldColumns(b)
	b.Problems = append(b.Problems, kept...)
	slices.SortStableFunc(b.Problems, rowplan.CompareProblems)
	return nil
}

// RunHooks lets the hooks change rows that a person has changed: those over all
// Rows, which see no others, and then those for each row.
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

// updateRows are rows as hooks see those that a person changed.
func (d *Revalidator) updateRows(b *intray.Batch) intray.HookRows {
	rows := d.plan.HookRows(d.plan.HookView(b))
	rows.Update = true
	return rows
}

// ValueDiffers says whether a cell has another value than its text is read as: a hook gave it,
// or it is that of a workbook, which shows less of it.
func (d *Revalidator) ValueDiffers(field int, text, v string) bool {
	return d.hooked && field >= 0 && field < len(d.plan.Fields) && !d.plan.Fields[field].ParsesTo([]byte(text), []byte(v))
}

// TypedText gives the text which, typed into a cell of the field, is read as the cell
// of a workbook is: what the application shows, the value behind it, or that with
// the other decimal sign.
func (d *Revalidator) TypedText(field int, shown string, kind intray.CellKind, behind string) string {
	if kind == intray.CellText || field < 0 || field >= len(d.plan.Fields) {
		return shown
	}
	parser := d.plan.Fields[field].Parser
	if parser == nil {
		return shown
	}
	reads := func(c celltype.Cell) (string, bool) {
		r := parser.Parse(c, nil)
		return string(rowplan.ResultText(c.Raw, r)), r.State == celltype.Unchanged || r.State == celltype.Parsed
	}
	want, is := reads(celltype.Cell{Raw: []byte(shown), Kind: kind, Typed: []byte(behind)})
	if !is {
		return shown
	}
	for _, text := range []string{shown, behind, strings.Replace(behind, ".", ",", 1)} {
		if got, reads := reads(celltype.Cell{Raw: []byte(text)}); reads && got == want {
			return text
		}
	}
	return shown
}

// Count adds the rows of the next batch to what an outcome counts and lists.
func (d *Revalidator) Count(b *intray.Batch, out *engine.Outcome) {
	out.AddSummary(d.plan.Summarize(b))
}
