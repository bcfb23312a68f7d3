package service_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/draft"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/source/all"
)

// notedHooks write down which rows they are shown, and write names large.
type notedHooks struct {
	told  []string
	fails bool
}

func (n *notedHooks) Step(context.Context, intray.StepCall) (intray.StepChanges, error) {
	return nil, nil
}

func (n *notedHooks) Column(context.Context, int, intray.HookRows) ([]intray.Change, error) {
	return nil, nil
}

func (n *notedHooks) Bulk(context.Context, int, intray.HookRows) ([]intray.Change, error) {
	return nil, nil
}

func (n *notedHooks) Rows(_ context.Context, _ int, rows intray.HookRows) (changes []intray.Change, err error) {
	b := rows.Batches[0]
	if !rows.Update {
		return nil, nil
	}
	if n.fails {
		return nil, &intray.HookError{Hook: "rowHooks[0]", Text: "no"}
	}
	n.told = append(n.told, fmt.Sprint("update ", b.Numbers))
	for row := range b.Rows() {
		name, _ := b.Fields[1].Value(row)
		upper := strings.ToUpper(string(name))
		changes = append(changes, intray.Change{Row: row, Field: 1, HasValue: true, Value: &upper})
	}
	return changes, nil
}

func (n *notedHooks) Deleted(_ context.Context, rows intray.HookRows) error {
	n.told = append(n.told, fmt.Sprint("deleted ", rows.Batches[0].Numbers))
	return nil
}

func (n *notedHooks) Finish(context.Context, *intray.Schema, iter.Seq2[*intray.Batch, error], intray.Finish) (*string, error) {
	return nil, nil
}

func (n *notedHooks) Close() error { return nil }

// TestReviewHooks wants hooks to see the rows that a person changes or deletes, by
// their numbers, and what they change to be kept.
func TestReviewHooks(t *testing.T) {
	t.Parallel()
	hooks := &notedHooks{}
	f := newFixture(t, func(_ *fixture, cfg *service.Config) {
		cfg.Engine = engine.New(engine.Config{Formats: all.Formats(""), Workers: 1, Script: func(context.Context, intray.Hooks, intray.Pins) (engine.Hooks, error) { return hooks, nil }})
	})
	d := doc(t, contacts, blocking)
	d.Hooks = map[string]any{"rowHooks": []any{"r => r"}, "rowDeleteHooks": []any{"r => {}"}}
	imp, err := f.CreateImport(f.ctx, f.org, service.NewImport{Doc: d})
	must(t, err)
	must(t, f.send(imp, "E-Mail,Name\nada@example.org,Ada\nnobody,Bob\ncy@example.org,Cy\n"))
	f.runAll()
	imp = f.status(imp, service.NeedsReview)
	_, err = f.ChangeRows(f.ctx, imp, order(draft.Fill{Where: draft.Selector{Numbers: []int64{0, 2}, Fields: []int{0}}, Text: "x@example.org"}))
	must(t, err)
	_, err = f.ChangeRows(f.ctx, imp, order(draft.Delete{Where: draft.Selector{Numbers: []int64{1}}}))
	must(t, err)
	must(t, f.Table(f.ctx, imp, func(d *draft.Draft, made service.Made) error {
		w, err := d.Window(f.ctx, draft.Query{}, 0, 3)
		for _, r := range w.Rows {
			if c := r.Cells[1]; !made(1, c.Raw, c.Value) {
				t.Errorf("row %d: nobody made %q of %q", r.Number, c.Value, c.Raw)
			}
			if c := r.Cells[0]; made(0, c.Raw, c.Value) {
				t.Errorf("row %d: a hook made %q of %q", r.Number, c.Value, c.Raw)
			}
		}
		return err
	}))
	if want := []string{"update [0 2]", "deleted [1]"}; !slices.Equal(hooks.told, want) {
		t.Errorf("the hooks were told %q, want %q", hooks.told, want)
	}
	hooks.fails = true
	_, err = f.ChangeRows(f.ctx, imp, order(typed(0, 1, "x@example.org", "y@example.org")))
	f.refused(err, service.Conflict, "hook_failed")
	_, _, err = f.SubmitReview(f.ctx, imp)
	must(t, err)
	f.wantResult(f.now(imp), `[{"email":"x@example.org","name":"ADA"},{"email":"x@example.org","name":"CY"}]`)
}
