package service_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/model"
)

var update = flag.Bool("update", false, "rewrite docs/states.md")

// transitions maps each status to those that may follow it.
var transitions = map[model.Status][]model.Status{
	model.AwaitingUpload: {model.Pending},
	model.Pending:        {model.Running, model.Failed},
	model.Running:        {model.Pending, model.Successful, model.NeedsReview, model.Failed},
	model.NeedsReview:    {model.Pending, model.Successful, model.Failed},
	model.Successful:     nil,
	model.Failed:         nil,
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for from, allowed := range transitions {
		for to := range transitions {
			want := false
			for _, s := range allowed {
				want = want || s == to
			}
			if got := from.MayBecome(to); got != want {
				t.Errorf("%s may become %s: %v, want %v", from, to, got, want)
			}
			if !want {
				f.wantInvalidTransition(from, to)
			}
		}
	}
	for _, transition := range model.Transitions() {
		if transition.Why == "" {
			t.Errorf("from %s to %s without a cause", transition.From, transition.To)
		}
	}
}

// wantInvalidTransition checks that a change of status is refused.
func (f *fixture) wantInvalidTransition(from, to model.Status) {
	f.Helper()
	imp := f.newImport("")
	imp.Status = from
	must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
		return tx.Imports.UpdateIf(f.ctx, imp, model.AwaitingUpload, imp.Run)
	}))
	if err := f.MoveTo(f.ctx, imp, to); err == nil || !strings.Contains(err.Error(), "is not allowed") {
		f.Errorf("from %s to %s: error %v, want that it is not allowed", from, to, err)
	}
	f.wantStatus(imp, from)
}

func TestUploadStatus(t *testing.T) {
	t.Parallel()
	want := map[model.Status]model.UploadStatus{
		model.AwaitingUpload: model.UploadPending,
		model.Pending:        model.UploadProcessing,
		model.Running:        model.UploadProcessing,
		model.NeedsReview:    model.UploadProcessing,
		model.Successful:     model.UploadProcessed,
		model.Failed:         model.UploadFailed,
	}
	for status, upload := range want {
		if got := status.UploadStatus(); got != upload {
			t.Errorf("the upload of a %s import is %s, want %s", status, got, upload)
		}
	}
}

// statesPage is the path of the documentation page that contains the table of transitions.
const statesPage = "../../docs/states.md"

const tableHead = "| From | To | When |\n| --- | --- | --- |\n"

func transitionTable() string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, transition := range model.Transitions() {
		b.WriteString("| " + string(transition.From) + " | " + string(transition.To) + " | " + transition.Why + " |\n")
	}
	return b.String()
}

func TestStatesPage(t *testing.T) {
	text, err := os.ReadFile(statesPage)
	if err != nil {
		t.Fatalf("%v\nThe page must have this table:\n%s", err, transitionTable())
	}
	page := string(text)
	at := strings.Index(page, "| From | To | When |\n")
	if at < 0 {
		t.Fatalf("docs/states.md has no table of transitions. It must have this one:\n%s", transitionTable())
	}
	end := at
	for line := range strings.Lines(page[at:]) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		end += len(line)
	}
	if *update {
		must(t, os.WriteFile(statesPage, []byte(page[:at]+transitionTable()+page[end:]), 0o644))
		return
	}
	if diff := cmp.Diff(transitionTable(), page[at:end]); diff != "" {
		t.Errorf("the table in docs/states.md is outdated; go test ./server/service -run StatesPage -update rewrites it (-code +page):\n%s", diff)
	}
}
