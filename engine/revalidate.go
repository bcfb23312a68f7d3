package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/validate"
)

// Revalidator changes staged rows as a person wants: what is typed is read and checked
// as the run read and checked the file. It may be used from several goroutines;
// Close when none of them does.
type Revalidator struct {
	plan *plan
	// hookSources are the hooks that see changed rows, and script makes them ready when the
	// first rows are changed.
	hookSources intray.Hooks
	loadHooks   func(ctx context.Context) (HookRunner, error)
	// hooked says that hooks may have given cells their values.
	hooked bool
	mu     sync.Mutex
	hooks  HookRunner
}

// Edit is what a person typed into a cell.
type Edit = intray.Edit

// Reopen makes a desk for rows that a run staged with this outcome.
func (e *Engine) Reopen(imp Import, out *Outcome) (*Revalidator, error) {
	plan, err := compile(out.Schema(imp.Schema), out.Mapping, out.Headers)
	if err != nil {
		return nil, err
	}
	for i := range plan.fields {
		form, decided := out.Forms[plan.keys[i]]
		parser, surveyed := plan.fields[i].parser.(celltype.SniffingParser)
		if !decided || !surveyed {
			continue
		}
		if plan.fields[i].parser, err = parser.Restore(form); err != nil {
			return nil, fmt.Errorf("read field %q as the run did: %w", plan.keys[i], err)
		}
	}
	plan.applyLearnedValues(imp)
	hooks := imp.Schema.Hooks
	d := &Revalidator{plan: plan, hooked: len(hooks.Row)+len(hooks.BulkRow)+len(hooks.Column) > 0}
	if e.cfg.LoadHooks != nil && len(hooks.Row)+len(hooks.BulkRow)+len(hooks.RowDelete) > 0 {
		hooks = intray.Hooks{Row: hooks.Row, BulkRow: hooks.BulkRow, RowDelete: hooks.RowDelete}
		d.hookSources = hooks
		d.loadHooks = func(ctx context.Context) (HookRunner, error) { return e.cfg.LoadHooks(ctx, hooks, imp.HookEnv) }
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
func (d *Revalidator) openHooks(ctx context.Context) (HookRunner, error) {
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
		for range d.plan.columns {
			recs.AppendCell(nil)
		}
		recs.EndRecord(0)
	}
	b := &intray.Batch{}
	d.plan.parse(&recs, b, make([]byte, 0, scratchBytes))
	d.plan.foldColumns(b)
	return b
}

// Change puts edits, the later over the earlier, into a batch as it was staged,
// lets the hooks see its rows, and checks them again. What a hook does wrong is an
// [intray.HookError]; the batch is of no use then. The problems of rules about all rows of the table are
// left as they are: only who knows all rows can tell which of them still hold.
func (d *Revalidator) Change(ctx context.Context, b *intray.Batch, edits []Edit) error {
	if len(b.Fields) != len(d.plan.fields) {
		return fmt.Errorf("a batch of %d fields is to be changed by a schema of %d", len(b.Fields), len(d.plan.fields))
	}
	if err := d.plan.unfoldColumns(b); err != nil {
		return err
	}
	kept := d.plan.splitProblems(b)
	if err := d.plan.applyEdits(b, edits); err != nil {
		return err
	}
	if err := d.runHooks(ctx, b); err != nil {
		return err
	}
	d.plan.rules.Apply(b)
	d.plan.foldColumns(b)
	b.Problems = append(b.Problems, kept...)
	slices.SortStableFunc(b.Problems, compareProblems)
	return nil
}

// runHooks lets the hooks change rows that a person has changed: those over all
// rows, which see no others, and then those for each row.
func (d *Revalidator) runHooks(ctx context.Context, b *intray.Batch) error {
	hooks, err := d.openHooks(ctx)
	if err != nil || hooks == nil {
		return err
	}
	scratch := make([]byte, 0, scratchBytes)
	for _, kind := range []struct {
		hooks int
		call  func(ctx context.Context, hook int, rows intray.HookRows) ([]intray.Change, error)
	}{{len(d.hookSources.BulkRow), hooks.RunBulk}, {len(d.hookSources.Row), hooks.RunRows}} {
		for hook := range kind.hooks {
			changes, err := kind.call(ctx, hook, d.updateRows(b))
			if err == nil {
				err = d.plan.applyChanges(b, changes, scratch)
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
	rows := d.plan.hookRows(d.plan.hookView(b))
	rows.Update = true
	return rows
}

// ValueDiffers says whether a cell has another value than its text is read as: a hook gave it,
// or it is that of a workbook, which shows less of it.
func (d *Revalidator) ValueDiffers(field int, text, v string) bool {
	return d.hooked && field >= 0 && field < len(d.plan.fields) && !d.plan.fields[field].parsesTo([]byte(text), []byte(v))
}

// TypedText gives the text which, typed into a cell of the field, is read as the cell
// of a workbook is: what the application shows, the value behind it, or that with
// the other decimal sign.
func (d *Revalidator) TypedText(field int, shown string, kind intray.CellKind, behind string) string {
	if kind == intray.CellText || field < 0 || field >= len(d.plan.fields) {
		return shown
	}
	parser := d.plan.fields[field].parser
	if parser == nil {
		return shown
	}
	reads := func(c celltype.Cell) (string, bool) {
		r := parser.Parse(c, nil)
		return string(resultText(c.Raw, r)), r.State == celltype.Unchanged || r.State == celltype.Parsed
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

// applyEdits puts what a person typed into the cells.
func (p *plan) applyEdits(b *intray.Batch, edits []Edit) error {
	scratch := make([]byte, 0, scratchBytes)
	byCells := map[int][]intray.Change{}
	for _, e := range edits {
		at, err := p.cellsIndex(b, intray.Change{Row: e.Row, Field: e.Field, Part: e.Part})
		if err != nil {
			return fmt.Errorf("there is no cell at row %d, field %d, part %d of %d rows", e.Row, e.Field, e.Part, b.Rows())
		}
		if f := p.fields[e.Field]; f.field.ManyToOne && f.parts == 0 {
			return fmt.Errorf("no column feeds the field %q, so that it has no cells to type into", f.field.Key)
		}
		byCells[at] = append(byCells[at], intray.Change{Row: e.Row, HasValue: true, Value: &e.Text})
	}
	for at, list := range byCells {
		p.changeCells(b, at, list, true, scratch)
	}
	if len(p.parts) > 0 {
		p.rejoinColumns(b)
	}
	return nil
}

// splitProblems takes the problems that are found anew from a batch, and gives
// those of rules about all rows.
func (p *plan) splitProblems(b *intray.Batch) (aboutAll []intray.Problem) {
	own := b.Problems[:0:0]
	for _, q := range b.Problems {
		switch rule, all := validate.IsRule(q.Code); {
		case all:
			p.foldProblem(&q)
			aboutAll = append(aboutAll, q)
		case !rule:
			own = append(own, q)
		}
	}
	b.Problems = own
	return aboutAll
}

// unfoldColumns puts the columns of fields with several behind the fields again.
func (p *plan) unfoldColumns(b *intray.Batch) error {
	if len(p.parts) == 0 {
		return nil
	}
	for f := range p.fields {
		field := &p.fields[f]
		if field.parts == 0 {
			continue
		}
		columns := make([]intray.Cells, len(field.columns))
		for row := range b.Rows() {
			if err := field.splitRow(&b.Fields[f], row, columns); err != nil {
				return fmt.Errorf("row %d: %w", b.First+int64(row), err)
			}
		}
		b.Fields = append(b.Fields, columns...)
	}
	for i := range b.Problems {
		q := &b.Problems[i]
		if q.Field >= 0 && p.fields[q.Field].parts > 0 {
			q.Field, q.Part = p.fields[q.Field].parts+q.Part, 0
		}
	}
	return nil
}

// splitRow adds a row of a field to its columns: what join made of them.
func (f *fieldPlan) splitRow(from *intray.Cells, row int, columns []intray.Cells) error {
	v, there := from.Value(row)
	if !there {
		for i := range columns {
			columns[i].AppendNull(nil)
		}
		return nil
	}
	var raws []string
	var values []json.RawMessage
	if json.Unmarshal(from.Raw(row), &raws) != nil || json.Unmarshal(v, &values) != nil || len(raws) != len(columns) || len(values) != len(columns) {
		return fmt.Errorf("the value of field %q is not one for each of its columns", f.field.Key)
	}
	for i := range columns {
		if err := f.splitCell(&columns[i], values[i], raws[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *fieldPlan) splitCell(to *intray.Cells, v json.RawMessage, raw string) error {
	if bytes.Equal(v, []byte("null")) {
		to.AppendNull([]byte(raw))
		return nil
	}
	if !f.literal {
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			return fmt.Errorf("a value of field %q: %w", f.field.Key, err)
		}
		v = []byte(text)
	}
	appendChanged(to, v, []byte(raw))
	return nil
}

// Count adds the rows of the next batch to what an outcome tells of its rows.
func (d *Revalidator) Count(b *intray.Batch, out *Outcome) { d.plan.summarize(b).mergeInto(out) }
