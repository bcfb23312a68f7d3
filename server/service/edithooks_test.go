package service_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/source/formats"
)

// recordingHooks records the calls to hooks. Its row hooks convert names to upper case.
type recordingHooks struct {
	calls []string
	fails bool
	// onUpdate is called by row hooks unless it is nil.
	onUpdate func()
	// finish is the finish hook. Nil accepts every import.
	finish func() (*string, error)
}

func (n *recordingHooks) RunStep(context.Context, intray.StepCall) (intray.StepChanges, error) {
	return nil, nil
}

func (n *recordingHooks) RunColumn(context.Context, int, intray.HookRows) ([]intray.Change, error) {
	return nil, nil
}

func (n *recordingHooks) RunBulk(_ context.Context, _ int, rows intray.HookRows) ([]intray.Change, error) {
	if rows.Update {
		n.calls = append(n.calls, fmt.Sprint("bulk ", rows.Batches[0].Rows()))
	}
	return nil, nil
}

func (n *recordingHooks) RunRows(_ context.Context, _ int, rows intray.HookRows) (changes []intray.Change, err error) {
	b := rows.Batches[0]
	if !rows.Update {
		return nil, nil
	}
	if n.fails {
		return nil, &intray.HookError{Hook: "rowHooks[0]", Text: intray.Literal("no")}
	}
	if n.onUpdate != nil {
		n.onUpdate()
	}
	n.calls = append(n.calls, fmt.Sprint("update ", b.Numbers))
	for row := range b.Rows() {
		name, _ := b.Fields[1].Value(row)
		upper := strings.ToUpper(string(name))
		changes = append(changes, intray.Change{Row: row, Field: 1, HasValue: true, Value: &upper})
	}
	return changes, nil
}

func (n *recordingHooks) NotifyDeleted(_ context.Context, rows intray.HookRows) error {
	n.calls = append(n.calls, fmt.Sprint("deleted ", rows.Batches[0].Numbers))
	return nil
}

func (n *recordingHooks) Finish(context.Context, *intray.Schema, iter.Seq2[*intray.Batch, error], intray.FinishCall) (*string, error) {
	if n.finish == nil {
		return nil, nil
	}
	return n.finish()
}

func (n *recordingHooks) Close() error { return nil }

// importWithHooks returns a service and an import under review with hooks of the given kinds.
func importWithHooks(t *testing.T, hooks *recordingHooks, file string, kinds ...string) (*fixture, model.Import) {
	t.Helper()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) {
		cfg.Engine = engine.New(engine.Config{Formats: formats.Formats(""), Workers: 1, LoadHooks: func(context.Context, intray.Hooks, intray.HookEnv) (engine.HookRunner, error) { return hooks, nil }})
	})
	d := doc(t, contacts, blocking)
	sources := map[string]any{}
	for _, kind := range kinds {
		sources[kind] = []any{"r => r"}
		if kind == "beforeFinishCallback" {
			sources[kind] = "r => r"
		}
	}
	d.Hooks = sources
	imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: d})
	must(t, err)
	must(t, f.upload(imp, file))
	f.runAll()
	return f, f.wantStatus(imp, model.NeedsReview)
}

// Bulk hooks are called once with all changed rows, even if the rows are read in several chunks.
func TestBulkHooksSeeAllRows(t *testing.T) {
	t.Parallel()
	const rows = 40_000
	hooks := &recordingHooks{}
	f, imp := importWithHooks(t, hooks, "E-Mail,Name\n"+strings.Repeat("nobody,Ada\n", rows), "bulkRowHooks")
	v, err := f.ChangeRows(f.ctx, imp, newEdit(draft.Fill{Where: draft.Selector{Fields: []int{1}}, Text: "Bob"}))
	must(t, err)
	if want := fmt.Sprint("bulk ", rows); v.Rows != rows || !slices.Equal(hooks.calls, []string{want}) {
		t.Errorf("%d rows were changed, the calls are %q, want %q", v.Rows, hooks.calls, want)
	}
}

// A change is requested again while it is in progress. It is made once, and both
// calls return the same result.
func TestRetryDuringChange(t *testing.T) {
	t.Parallel()
	hooks := &recordingHooks{}
	f, imp := importWithHooks(t, hooks, "E-Mail,Name\nada@example.org,Ada\nnobody,Bob\n", "rowHooks")
	total, token := int64(2), ""
	must(t, f.WithRows(f.ctx, imp, func(d *draft.Draft) error {
		v, err := d.OpenView(f.ctx, draft.Filter{}, nil)
		token = v.Token
		return err
	}))
	for _, edit := range []review.EditRequest{
		newEdit(setEmail(1, 0, "nobody", "bob@example.org")), newEdit(draft.Replace{Find: "bob", With: "bo"}),
		newEdit(draft.Fill{Where: draft.Selector{Token: token, Total: &total, From: 1, To: 2, Fields: []int{1}}, Text: "Bo"}),
	} {
		var again draft.ChangeResult
		var failed error
		var retry sync.WaitGroup
		hooks.onUpdate = func() {
			hooks.onUpdate = nil
			started := make(chan struct{})
			retry.Go(func() {
				close(started)
				again, failed = f.ChangeRows(f.ctx, imp, edit)
			})
			<-started
		}
		v, err := f.ChangeRows(f.ctx, imp, edit)
		must(t, err)
		retry.Wait()
		if diff := cmp.Diff(v, again); failed != nil || v.Seq == 0 || diff != "" {
			t.Errorf("the first call (-) and the second (+), which failed with %v: %s", failed, diff)
		}
	}
}

// TestReviewHooks checks that hooks receive the rows that a reviewer changes or
// deletes, with their row numbers, and that the changes made by hooks are saved.
func TestReviewHooks(t *testing.T) {
	t.Parallel()
	hooks := &recordingHooks{}
	f, imp := importWithHooks(t, hooks, "E-Mail,Name\nada@example.org,Ada\nnobody,Bob\ncy@example.org,Cy\n", "rowHooks", "rowDeleteHooks")
	_, err := f.ChangeRows(f.ctx, imp, newEdit(draft.Fill{Where: draft.Selector{Numbers: []int64{0, 2}, Fields: []int{0}}, Text: "x@example.org"}))
	must(t, err)
	_, err = f.ChangeRows(f.ctx, imp, newEdit(draft.Delete{Where: draft.Selector{Numbers: []int64{1}}}))
	must(t, err)
	must(t, f.WithTable(f.ctx, imp, func(d *draft.Draft, made review.SetByHook) error {
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
	if want := []string{"update [0 2]", "deleted [1]"}; !slices.Equal(hooks.calls, want) {
		t.Errorf("the calls are %q, want %q", hooks.calls, want)
	}
	hooks.fails = true
	_, err = f.ChangeRows(f.ctx, imp, newEdit(setEmail(0, 1, "x@example.org", "y@example.org")))
	f.wantError(err, model.Conflict, "hook_failed")
	_, _, err = f.SubmitReview(f.ctx, imp)
	must(t, err)
	f.wantResult(f.reload(imp), `[{"email":"x@example.org","name":"ADA"},{"email":"x@example.org","name":"CY"}]`)
}

// If the finish hook cancels the submission or fails, the import remains under review.
func TestFinishAtSubmission(t *testing.T) {
	t.Parallel()
	hooks := &recordingHooks{}
	f, imp := importWithHooks(t, hooks, "E-Mail,Name\nnobody,Ada\n", "beforeFinishCallback")
	_, err := f.ChangeRows(f.ctx, imp, newEdit(setEmail(0, 0, "nobody", "ada@example.org")))
	must(t, err)
	no := "Not today."
	hooks.finish = func() (*string, error) { return &no, nil }
	_, _, err = f.SubmitReview(f.ctx, imp)
	f.wantError(err, model.Conflict, "cancelled_by_hook")
	hooks.finish = func() (*string, error) {
		return nil, &intray.HookError{Hook: "beforeFinishCallback", Text: intray.Literal("boom")}
	}
	_, _, err = f.SubmitReview(f.ctx, imp)
	f.wantError(err, model.Conflict, "hook_failed")
	hooks.finish = nil
	_, _, err = f.SubmitReview(f.ctx, imp)
	must(t, err)
	f.wantResult(f.reload(imp), `[{"email":"ada@example.org","name":"Ada"}]`)
}
