package service_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
)

// ambiguousName is a file in which two columns match the field "name".
const ambiguousName = "E-Mail,Name,name\nada@example.org,Ada,A.\n"

// ambiguousFields is a file in which two columns match each of two fields.
const ambiguousFields = "E-Mail,E-Mail,Name,Name\nada@example.org,bob@example.org,Ada,A.\n"

func oneAnswer(id, value string) map[string]*string { return map[string]*string{id: &value} }

func questionIDs(imp model.Import) (ids []string) {
	for _, q := range imp.OpenQuestions() {
		ids = append(ids, q.ID)
	}
	return ids
}

// After a question is answered, the import runs again.
func TestAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(ambiguousName, "")
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

// Answers on the review page do not submit the import: the person submits the rows.
func TestAnswerOnPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(ambiguousName, `{"developmentMode":true}`)
	_, err := f.AnswerQuestionsOnPage(f.ctx, f.org, imp.ID, oneAnswer("column:name", "1"), false)
	must(t, err)
	f.runAll()
	imp = f.wantStatus(imp, model.NeedsReview)
	if imp.Stage == "" || imp.Result.Key != "" || len(imp.OpenQuestions()) > 0 {
		t.Fatalf("stage %q, result %q, questions %v", imp.Stage, imp.Result.Key, questionIDs(imp))
	}
	_, sub, err := f.SubmitReview(f.ctx, imp)
	must(t, err)
	if sub.Rows != 1 {
		t.Errorf("%d rows were submitted", sub.Rows)
	}
	f.wantResult(imp, `[{"email":"ada@example.org","name":"Ada"}]`)

	// Also if the mapping was changed without a question.
	imp = f.finishedImport(ambiguousName, "")
	_, err = f.UpdateLayout(f.ctx, f.org, imp.ID, oneAnswer("column:name", "1"))
	must(t, err)
	f.runAll()
	f.wantStatus(imp, model.NeedsReview)
}

// The import does not run before both questions are answered.
func TestPartialAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(ambiguousFields, "")
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

// After answers are withdrawn, the questions are open again.
func TestWithdrawnAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(ambiguousFields, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`)
	wrong, none := "2", "none"
	_, err := f.AnswerQuestions(f.ctx, f.org, imp.ID, map[string]*string{"column:email": &wrong, "column:name": &none}, false)
	must(t, err)
	f.runAll()
	imp = f.wantStatus(imp, model.NeedsReview) // Ada is not an e-mail address
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
			t.Errorf("%s of the earlier run exists", key)
		}
	}
}

func TestInvalidAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(ambiguousName, "")
	if diff := cmp.Diff([]string{"column:name"}, questionIDs(imp)); diff != "" {
		t.Fatal(diff)
	}
	for name, answers := range map[string]map[string]*string{
		"none":                {},
		"to another question": oneAnswer("sheet", "A"),
		"of no column":        oneAnswer("column:name", "3"),
		"with a header":       oneAnswer("column:name", "Name"),
		"that is withdrawn":   {"column:name": nil},
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

// An answer discards the changes to rows only if the request says so. After that, repeating a
// discarded change is an error.
func TestAnswerDiscardsChanges(t *testing.T) {
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
	_, err = f.ChangeRows(f.ctx, imp, newEdit(draft.Trim{})) // has no effect
	must(t, err)
	small := oneAnswer("value:size:mittel", "S")
	_, err = f.AnswerQuestions(f.ctx, f.org, imp.ID, small, false)
	f.wantError(err, model.Conflict, "discards_changes")
	var e *model.Error
	if !errors.As(err, &e) || e.Changes != 1 || !strings.Contains(e.Message.String(), "lost (changes: 1).") {
		t.Errorf("the error is %+v", e)
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
