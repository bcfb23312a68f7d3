package service_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
)

// twice has two columns that fit the name.
const twice = "E-Mail,Name,name\nada@example.org,Ada,A.\n"

// bothTwice has two columns for each of two fields.
const bothTwice = "E-Mail,E-Mail,Name,Name\nada@example.org,bob@example.org,Ada,A.\n"

func oneAnswer(id, value string) map[string]*string { return map[string]*string{id: &value} }

func questionIDs(imp model.Import) (ids []string) {
	for _, q := range imp.OpenQuestions() {
		ids = append(ids, q.ID)
	}
	return ids
}

// TestAnswer answers a question, and the import runs again from its file.
func TestAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(twice, "")
	if diff := cmp.Diff([]string{"column:name"}, questionIDs(imp)); diff != "" {
		t.Fatal(diff)
	}
	imp, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, oneAnswer("column:name", "1"), false)
	must(t, err)
	if imp.Status != model.Pending || imp.Outcome != nil || len(imp.OpenQuestions()) > 0 {
		t.Fatalf("the import is %s with outcome %+v", imp.Status, imp.Outcome)
	}
	f.runAll()
	f.wantResult(imp, `[{"email":"ada@example.org","name":"Ada"}]`)
}

// TestAnswersAreKept gives one answer of two, which waits for the other.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(bothTwice, "")
	if diff := cmp.Diff([]string{"column:email", "column:name"}, questionIDs(imp)); diff != "" {
		t.Fatal(diff)
	}
	imp, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, oneAnswer("column:name", "2"), false)
	must(t, err)
	f.wantStatus(imp, model.NeedsReview)
	if len(f.reload(imp).OpenQuestions()) != 2 || f.reload(imp).Answers["column:name"] != "2" {
		t.Fatalf("questions %v, answers %v", questionIDs(f.reload(imp)), f.reload(imp).Answers)
	}
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, oneAnswer("column:email", "0"), false)
	must(t, err)
	f.runAll()
	f.wantResult(imp, `[{"email":"ada@example.org","name":"Ada"}]`)
}

// TestAnswerIsTakenBack asks again what was answered.
func TestAnswerIsTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(bothTwice, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`)
	wrong, none := "2", "none"
	_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, map[string]*string{"column:email": &wrong, "column:name": &none}, false)
	must(t, err)
	f.runAll()
	imp = f.wantStatus(imp, model.NeedsReview) // Ada is no e-mail address
	staged := f.Blobs.Keys("imports/" + imp.ID + "/run-")
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, map[string]*string{"column:email": nil, "column:name": nil}, false)
	must(t, err)
	f.runAll()
	imp = f.wantStatus(imp, model.NeedsReview)
	if diff := cmp.Diff([]string{"column:email", "column:name"}, questionIDs(imp)); diff != "" || len(imp.Answers) > 0 {
		t.Errorf("answers %v, questions %s", imp.Answers, diff)
	}
	f.Clock.Advance(1 << 40)
	must(t, f.RunMaintenance(f.ctx))
	for _, key := range f.Blobs.Keys("imports/" + imp.ID + "/run-") {
		if len(staged) > 0 && strings.HasPrefix(staged[0], key) {
			t.Errorf("%s of the earlier run is still there", key)
		}
	}
}

func TestAnswerIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(twice, "")
	if diff := cmp.Diff([]string{"column:name"}, questionIDs(imp)); diff != "" {
		t.Fatal(diff)
	}
	for name, answers := range map[string]map[string]*string{
		"none":               {},
		"to another":         oneAnswer("sheet", "A"),
		"of no column":       oneAnswer("column:name", "3"),
		"that is none":       oneAnswer("column:name", "Name"),
		"taken back, though": {"column:name": nil},
	} {
		_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, answers, false)
		if f.wantError(err, model.Invalid, "invalid"); t.Failed() {
			t.Fatalf("an answer %s", name)
		}
	}
	f.wantStatus(imp, model.NeedsReview)
	_, err := f.AnswerQuestions(f.ctx, "00000000-0000-0000-0000-000000000000", imp.ID, oneAnswer("column:name", "2"), false)
	f.wantError(err, model.NotFound, "not_found")
	_, err = f.AnswerQuestions(f.ctx, f.org, f.finishedImport(goodFile, "").ID, oneAnswer("column:name", "2"), false)
	f.wantError(err, model.Conflict, "not_in_review")
}

// TestAnswerWouldDiscard answers after rows were changed: the changes are dropped only
// where that was asked for, and what was made with their ids is not told as made.
func TestAnswerWouldDiscard(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importFile(f.org, orders, block, orderFile)
	edit := newEdit(draft.Fill{Where: draft.Selector{Fields: []int{2}}, Text: "changed"})
	_, err := f.ChangeRows(f.ctx, imp, edit)
	must(t, err)
	_, err = f.ChangeRows(f.ctx, imp, undo("undone"))
	must(t, err)
	_, err = f.ChangeRows(f.ctx, imp, redo("redone"))
	must(t, err)
	_, err = f.ChangeRows(f.ctx, imp, newEdit(draft.Trim{})) // changes nothing
	must(t, err)
	small := oneAnswer("value:size:mittel", "S")
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, small, false)
	f.wantError(err, model.Conflict, "discards_changes")
	var refusal *model.Error
	if !errors.As(err, &refusal) || refusal.Changes != 1 || !strings.Contains(refusal.Message.String(), "lost (1).") {
		t.Errorf("the refusal is %+v", refusal)
	}
	if f.wantStatus(imp, model.NeedsReview); len(f.reload(imp).Answers) > 0 {
		t.Errorf("answers %v", f.reload(imp).Answers)
	}
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, small, true)
	must(t, err)
	f.runAll()
	imp = f.wantStatus(imp, model.NeedsReview)
	_, err = f.ChangeRows(f.ctx, imp, edit)
	f.wantError(err, model.Conflict, "import_changed")
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, oneAnswer("value:size:mittel", "L"), false)
	must(t, err)
}
