package service_test

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/service"
)

const blocking = `{"invalidDataBehavior":"BLOCK_SUBMIT"}`

// importInReview returns an import under review whose second row has an error.
func (f *fixture) importInReview() model.Import {
	f.Helper()
	return f.wantStatus(f.finishedImport(badFile, blocking), model.NeedsReview)
}

// correctedReview returns an import in review after the only invalid cell was corrected.
func (f *fixture) correctedReview() model.Import {
	f.Helper()
	imp := f.importInReview()
	_, err := f.ChangeRows(f.ctx, imp, newEdit(setEmail(1, 0, "nobody", "bob@example.org")))
	must(f.T, err)
	return imp
}

// setEmail returns an edit that sets the email address of a row to the given text. It is based
// on a version of the row and on the value that the client saw.
func setEmail(row int64, version int64, seen, text string) draft.Set {
	return draft.Set{Cells: []draft.Typed{{Row: row, Field: 0, Text: text, Version: version, Seen: seen}}}
}

var lastOp atomic.Int64

// newEdit returns an edit request with a new id.
func newEdit(change draft.Operation) review.EditRequest {
	return review.EditRequest{Op: fmt.Sprint("op-", lastOp.Add(1)), Kind: "set", Change: change}
}

func undo(op string) review.EditRequest { return review.EditRequest{Op: op, Kind: model.UndoEdit} }

func redo(op string) review.EditRequest { return review.EditRequest{Op: op, Kind: model.RedoEdit} }

// emails returns the email addresses that a node has for all rows. An address with
// a problem ends in "!".
func emails(f *fixture, s *service.Service, imp model.Import) string {
	f.Helper()
	var shown []string
	err := s.WithRows(f.ctx, imp, func(d *draft.Draft) error {
		w, err := d.Window(f.ctx, draft.Query{}, 0, 100)
		for _, r := range w.Rows {
			mark := ""
			if len(r.Cells[0].Problems) > 0 {
				mark = "!"
			}
			shown = append(shown, r.Cells[0].Raw+mark)
		}
		return err
	})
	must(f.T, err)
	return strings.Join(shown, " ")
}

// A reviewer corrects a cell and submits the review. The result contains the
// corrected value, and the outcome counts the submitted rows.
func TestReview(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	if got := emails(f, f.Service, imp); got != "ada@example.org nobody!" {
		t.Errorf("shown: %s", got)
	}
	_, sub, err := f.SubmitReview(f.ctx, imp)
	f.wantError(err, model.Conflict, "rows_with_error")
	if !sub.Blocked || sub.WithError != 1 {
		t.Errorf("the rejected submission: %+v", sub)
	}
	fix := newEdit(setEmail(1, 0, "nobody", "bob@example.org"))
	v, err := f.ChangeRows(f.ctx, imp, fix)
	must(t, err)
	if v.Cells != 1 || v.Valid != 1 || v.Invalid != 0 {
		t.Errorf("the change: %+v", v)
	}
	again, err := f.ChangeRows(f.ctx, imp, fix)
	if err != nil || again.Seq != v.Seq || again.Cells != 1 || len(again.Samples) != 1 {
		t.Errorf("the repeated change: %+v, %v", again, err)
	}
	if sub, err := f.ReviewSummary(f.ctx, imp); err != nil || sub != (review.Submission{Rows: 2}) {
		t.Errorf("the summary: %+v, %v", sub, err)
	}
	done, sub, err := f.SubmitReview(f.ctx, imp)
	must(t, err)
	if sub.Rows != 2 || done.Status != model.Successful {
		t.Errorf("submitted: %+v, %s", sub, done.Status)
	}
	f.wantResult(f.wantStatus(imp, model.Successful), `[{"email":"ada@example.org","name":"Ada"},{"email":"bob@example.org","name":"Bob"}]`)
	if o := f.reload(imp).Outcome; o.ErrorRows != 0 || o.DataRows != 2 || o.OutputRows != 2 || len(o.Listed) != 0 {
		t.Errorf("the outcome: %+v", o)
	}
	_, err = f.ChangeRows(f.ctx, f.reload(imp), newEdit(setEmail(0, 0, "", "x")))
	f.wantError(err, model.Conflict, "not_in_review")
	// A page that was opened before the submission gets the same error.
	_, err = f.ChangeRows(f.ctx, imp, newEdit(setEmail(0, 0, "ada@example.org", "x")))
	f.wantError(err, model.Conflict, "not_in_review")
}

// TestSubmissionAfterAnother checks that a page that was opened before the review was submitted cannot
// make the trash delete the rows of the result.
func TestSubmissionAfterAnother(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.correctedReview()
	done, _, err := f.SubmitReview(f.ctx, imp)
	must(t, err)
	want := f.Blobs.Keys(done.Stage)
	_, _, err = f.SubmitReview(f.ctx, imp)
	f.wantError(err, model.Conflict, "not_in_review")
	f.Clock.Advance(model.GuardFor + time.Hour)
	must(t, f.RunMaintenance(f.ctx))
	if got := f.Blobs.Keys(imp.FinalPrefix()); len(want) == 0 || !slices.Equal(got, append([]string{path.Dir(done.Stage) + "/result.json"}, want...)) {
		t.Errorf("after the second submission, the files are %q, want %q and the result", got, want)
	}
}

// TestSubmissionOvertaken checks that a submission does not change the result of another one that
// another process makes after a further change.
func TestSubmissionOvertaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.correctedReview()
	other := f.newNode("folder/two")
	overtake := sync.OnceValue(func() error {
		_, err := other.ChangeRows(f.ctx, imp, newEdit(setEmail(1, 1, "bob@example.org", "eve@example.org")))
		if err == nil {
			_, _, err = other.SubmitReview(f.ctx, imp)
		}
		return err
	})
	begun := false
	f.Blobs.OnUse(func(_ context.Context, use, key string) error {
		if use != "create" || !strings.HasSuffix(key, "/result.json") || begun {
			return nil
		}
		begun = true
		return overtake()
	})
	_, _, err := f.SubmitReview(f.ctx, imp)
	f.wantError(err, model.Conflict, "not_in_review")
	f.wantResult(f.wantStatus(imp, model.Successful), `[{"email":"ada@example.org","name":"Ada"},{"email":"eve@example.org","name":"Bob"}]`)
}

// TestDeletionDuringSubmission checks the error of a submission whose files are deleted while it writes
// them, with the import or after another submission.
func TestDeletionDuringSubmission(t *testing.T) {
	t.Parallel()
	for code, change := range map[string]func(f *fixture, imp model.Import) error{
		"not_found": func(f *fixture, imp model.Import) error { return f.DeleteImport(f.ctx, imp.Org, imp.ID) },
		"not_in_review": func(f *fixture, imp model.Import) error {
			done, _, err := f.newNode("folder/two").SubmitReview(f.ctx, imp)
			must(t, err)
			return errors.Join(err, f.DeleteUpload(f.ctx, done.Org, done.UploadID))
		},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			imp := f.correctedReview()
			begun := false
			f.Blobs.OnUse(func(_ context.Context, use, key string) error {
				if use != "create" || !strings.HasSuffix(key, "/result.json") || begun {
					return nil
				}
				begun = true
				return change(f, imp)
			})
			_, _, err := f.SubmitReview(f.ctx, imp)
			if !errors.Is(err, &model.Error{Kind: map[string]model.Kind{"not_found": model.NotFound, "not_in_review": model.Conflict}[code], Code: code}) {
				t.Errorf("SubmitReview: %v, want %s", err, code)
			}
			if left := f.Blobs.Keys(imp.Prefix()); len(left) > 0 {
				t.Errorf("these files are left: %q", left)
			}
		})
	}
}

// TestImportChangesDuringSubmission checks that a submission fails, and changes nothing, if the
// import has changed by the time its result is written.
func TestImportChangesDuringSubmission(t *testing.T) {
	t.Parallel()
	for code, change := range map[string]func(f *fixture, imp model.Import) error{
		"import_changed": func(f *fixture, imp model.Import) error {
			return f.Store.Update(f.ctx, func(tx model.Tx) error {
				next := imp
				next.Run++
				return tx.Imports.UpdateIf(f.ctx, next, model.NeedsReview, imp.Run)
			})
		},
		"rows_changed": func(f *fixture, imp model.Import) error {
			_, err := f.newNode("another").ChangeRows(f.ctx, imp, newEdit(setEmail(1, 1, "bob@example.org", "eve@example.org")))
			return err
		},
		"not_in_review": func(f *fixture, imp model.Import) error {
			return f.Store.Update(f.ctx, func(tx model.Tx) error {
				next := imp
				next.Status = model.Failed
				return tx.Imports.UpdateIf(f.ctx, next, model.NeedsReview, imp.Run)
			})
		},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			var reached func()
			f := newFixture(t, onCrashPoint(func(point string) {
				if point == "run.result" && reached != nil {
					reached()
				}
			}))
			imp := f.correctedReview()
			reached = func() { must(t, change(f, imp)) }
			_, _, err := f.SubmitReview(f.ctx, imp)
			f.wantError(err, model.Conflict, code)
			if status := f.reload(imp).Status; status == model.Successful {
				t.Errorf("the import is %s", status)
			}
		})
	}
}

// After a reviewer deletes a row and adds one, the result contains the remaining row and the
// added one.
func TestReviewDeletesAndAddsRows(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	_, err := f.ChangeRows(f.ctx, imp, newEdit(draft.Delete{Where: draft.Selector{Numbers: []int64{1}}}))
	must(t, err)
	_, err = f.ChangeRows(f.ctx, imp, newEdit(draft.Add{Rows: [][]draft.Typed{{{Field: 0, Text: "new@example.org"}, {Field: 1, Text: "New"}}}}))
	must(t, err)
	if got := emails(f, f.Service, imp); got != "ada@example.org new@example.org" {
		t.Errorf("shown: %s", got)
	}
	_, _, err = f.SubmitReview(f.ctx, imp)
	must(t, err)
	f.wantResult(f.reload(imp), `[{"email":"ada@example.org","name":"Ada"},{"email":"new@example.org","name":"New"}]`)
}

// If another process has changed a cell, a change based on the old value is a conflict, and a
// change based on the new value is visible on all nodes.
func TestReviewOnTwoNodes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	two := f.newNode("folder/two")
	emails(f, two, imp) // opens the draft before the other node changes it
	v, err := f.ChangeRows(f.ctx, imp, newEdit(setEmail(1, 0, "nobody", "one@example.org")))
	must(t, err)
	_, err = two.ChangeRows(f.ctx, imp, newEdit(setEmail(1, 0, "nobody", "two@example.org")))
	var conflict *draft.ConflictError
	if !errors.As(err, &conflict) || conflict.Cells[0].Now != "one@example.org" || conflict.Cells[0].Version != v.Seq {
		t.Fatalf("a concurrent change: %v", err)
	}
	_, err = two.ChangeRows(f.ctx, imp, newEdit(setEmail(1, v.Seq, "one@example.org", "two@example.org")))
	must(t, err)
	for _, s := range []*service.Service{f.Service, two, f.newNode("folder/three")} {
		if got := emails(f, s, imp); got != "ada@example.org two@example.org" {
			t.Errorf("shown: %s", got)
		}
	}
}

// Changes can be undone and redone on any node, and a repeated request has no further effect.
func TestUndoAndRedo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	two := f.newNode("folder/two")
	for _, text := range []string{"a@example.org", "b@example.org"} {
		_, err := f.ChangeRows(f.ctx, imp, newEdit(draft.Fill{Where: draft.Selector{Fields: []int{0}}, Text: text}))
		must(t, err)
	}
	want := func(s *service.Service, want string) {
		t.Helper()
		if got := emails(f, s, imp); got != want {
			t.Errorf("shown: %s, want %s", got, want)
		}
	}
	for range 2 {
		_, err := two.ChangeRows(f.ctx, imp, undo("u1"))
		must(t, err)
	}
	want(f.Service, "a@example.org a@example.org")
	_, err := f.ChangeRows(f.ctx, imp, undo("u2"))
	must(t, err)
	want(two, "ada@example.org nobody!")
	_, err = f.ChangeRows(f.ctx, imp, undo("u3"))
	f.wantError(err, model.Conflict, "nothing_to_undo")
	_, err = two.ChangeRows(f.ctx, imp, redo("r1"))
	must(t, err)
	want(f.newNode("folder/three"), "a@example.org a@example.org")
	// A change clears the redo history.
	_, err = f.ChangeRows(f.ctx, imp, newEdit(draft.Clear{Where: draft.Selector{Fields: []int{1}}}))
	must(t, err)
	_, err = two.ChangeRows(f.ctx, imp, redo("r2"))
	f.wantError(err, model.Conflict, "nothing_to_undo")
	want(two, "a@example.org a@example.org")
}

// Many changes are made concurrently on two nodes. Each successful one takes effect exactly once.
func TestConcurrentChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	nodes := []*service.Service{f.Service, f.newNode("folder/two")}
	const each = 8
	var all sync.WaitGroup
	var mu sync.Mutex
	changed := 0
	for i := range each {
		for n, s := range nodes {
			all.Go(func() {
				op := review.EditRequest{Op: fmt.Sprint("many-", n, "-", i), Kind: "add", Change: draft.Add{Rows: [][]draft.Typed{{{Field: 0, Text: fmt.Sprintf("n%d-%d@example.org", n, i)}}}}}
				_, err := s.ChangeRows(f.ctx, imp, op)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					changed++
				} else if !model.IsKind(err, model.Conflict) {
					t.Errorf("%v", err)
				}
			})
		}
	}
	all.Wait()
	for _, s := range nodes {
		if got := len(strings.Fields(emails(f, s, imp))); got != 2+changed || changed == 0 {
			t.Errorf("%d rows, and %d were added", got, changed)
		}
	}
}

func TestInvalidChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	for _, op := range []string{"", strings.Repeat("x", 101), "a\x00b"} {
		_, err := f.ChangeRows(f.ctx, imp, review.EditRequest{Op: op, Kind: "set", Change: setEmail(0, 0, "", "x")})
		f.wantError(err, model.Invalid, "invalid")
	}
	_, err := f.ChangeRows(f.ctx, imp, newEdit(draft.Replace{Find: "(", Expression: true}))
	f.wantError(err, model.Invalid, "not_possible")
	_, err = f.ChangeRows(f.ctx, imp, newEdit(draft.Clear{Where: draft.Selector{Token: "forgotten"}}))
	f.wantError(err, model.Conflict, "rows_changed")
	waiting := f.newImport("")
	err = f.WithRows(f.ctx, waiting, func(*draft.Draft) error { return nil })
	f.wantError(err, model.Conflict, "not_in_review")
	open := f.finishedImport("phone\n1\n", "")
	err = f.WithRows(f.ctx, open, func(*draft.Draft) error { return nil })
	f.wantError(err, model.Conflict, "no_rows")
	must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	_, err = f.ChangeRows(f.ctx, imp, newEdit(setEmail(1, 0, "nobody", "x@example.org")))
	f.wantError(err, model.NotFound, "not_found")
}

// An edit that changes no cell still has no effect if it is repeated later. It
// cannot be undone, and it does not clear the redo history.
func TestChangeWithoutEffect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importInReview()
	two := f.newNode("folder/two")
	first := newEdit(draft.Fill{Where: draft.Selector{Numbers: []int64{1}, Fields: []int{0}}, Text: "new@example.org"})
	_, err := f.ChangeRows(f.ctx, imp, first)
	must(t, err)
	_, err = f.ChangeRows(f.ctx, imp, undo("u"))
	must(t, err)
	nothing := newEdit(draft.Replace{Find: "new@example.org", With: "b@example.org"})
	for _, s := range []*service.Service{f.Service, two} {
		v, err := s.ChangeRows(f.ctx, imp, nothing)
		if err != nil || v.Seq != 0 || v.Cells != 0 {
			t.Errorf("%+v, %v", v, err)
		}
		if n, err := s.CountChanges(f.ctx, imp); err != nil || n != 0 {
			t.Errorf("%d changes, %v", n, err)
		}
	}
	_, err = two.ChangeRows(f.ctx, imp, redo("r"))
	must(t, err)
	v, err := f.ChangeRows(f.ctx, imp, nothing)
	if got := emails(f, f.Service, imp); err != nil || v.Cells != 0 || got != "ada@example.org new@example.org" {
		t.Errorf("shown: %s, %+v, %v", got, v, err)
	}
	_, err = f.newNode("folder/three").ChangeRows(f.ctx, imp, undo("v"))
	must(t, err)
	if got := emails(f, two, imp); got != "ada@example.org nobody!" {
		t.Errorf("shown: %s", got)
	}
}
