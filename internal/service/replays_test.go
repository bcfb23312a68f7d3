package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/schemajson"
)

const threeDays = 72 * time.Hour

func TestReplayGivesTheAnswerAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	answer := service.Answer{Status: 201, Body: []byte(`{"id":"7"}`)}
	f.begins(f.Service, "key", "print")
	must(t, f.FinishReplay(f.ctx, f.org, "key", "print", answer))
	for range 2 {
		got, err := f.BeginReplay(f.ctx, f.org, "key", "print")
		must(t, err)
		if diff := cmp.Diff(&answer, got); diff != "" {
			t.Errorf("the answer (-want +got):\n%s", diff)
		}
	}
	_, err := f.BeginReplay(f.ctx, f.org, "key", "other")
	f.refused(err, service.Conflict, "idempotency_key_reused")
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	if got, err := f.BeginReplay(f.ctx, other.ID, "key", "print"); got != nil || err != nil {
		t.Errorf("another organization's key: answer %v, error %v; want neither", got, err)
	}
}

// begins checks that a request with the key is the caller's to carry out.
func (f *fixture) begins(s *service.Service, key, print string) {
	f.Helper()
	if got, err := s.BeginReplay(f.ctx, f.org, key, print); got != nil || err != nil {
		f.Errorf("answer %v, error %v; want neither", got, err)
	}
}

func TestKeptAnswersAreSealed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.begins(f.Service, "key", "print")
	must(t, f.FinishReplay(f.ctx, f.org, "key", "print", service.Answer{Status: 201, Body: []byte("a secret answer")}))
	must(t, f.store.View(f.ctx, func(tx service.Tx) error {
		kept, err := tx.Replays.Get(f.ctx, f.org, "key")
		if strings.Contains(string(kept.Sealed), "secret") {
			t.Error("the store holds the answer in the open")
		}
		return err
	}))
}

func TestReplaysAreForgottenAfterThreeDays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.Sweep(f.ctx)) // the first sweep forgets; the next that does is far away
	f.begins(f.Service, "key", "print")
	must(t, f.FinishReplay(f.ctx, f.org, "key", "print", service.Answer{Status: 201}))
	f.clock.Advance(threeDays)
	if got, err := f.BeginReplay(f.ctx, f.org, "key", "print"); err != nil || got == nil {
		t.Errorf("at the end of the time: answer %v, error %v", got, err)
	}
	f.clock.Advance(time.Microsecond)
	f.begins(f.Service, "key", "another request")
	must(t, f.FinishReplay(f.ctx, f.org, "key", "another request", service.Answer{Status: 201}))
	f.clock.Advance(threeDays + time.Microsecond)
	must(t, f.node("folder/two").Sweep(f.ctx))
	err := f.store.View(f.ctx, func(tx service.Tx) error {
		_, err := tx.Replays.Get(f.ctx, f.org, "key")
		return err
	})
	f.refused(err, service.NotFound, "")
}

func TestReplayOfARequestUnderWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.node("elsewhere/two")
	must(t, other.Join(f.ctx))
	f.begins(other, "key", "print")
	_, err := f.BeginReplay(f.ctx, f.org, "key", "print")
	f.refused(err, service.Conflict, "idempotency_key_in_use")
	_, err = f.BeginReplay(f.ctx, f.org, "key", "another request")
	f.refused(err, service.Conflict, "idempotency_key_reused")
	must(t, other.Leave(f.ctx))
	f.begins(f.Service, "key", "print")
	_, err = f.BeginReplay(f.ctx, f.org, "key", "print")
	f.refused(err, service.Conflict, "idempotency_key_in_use")
	must(t, f.DropReplay(f.ctx, f.org, "key"))
	f.begins(f.Service, "key", "another request")
}

func TestReplayIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.ReplayID(f.org, "key")
	if parsed, ok := service.ParseID(id); !ok || parsed != id {
		t.Errorf("%q is no id", id)
	}
	if again := f.node("folder/two").ReplayID(f.org, "key"); again != id {
		t.Errorf("the id is %s in one process and %s in another", id, again)
	}
	for _, other := range []string{f.ReplayID(f.org, "key2"), f.ReplayID("other", "key"), f.ReplayID(f.org+"k", "ey")} {
		if other == id {
			t.Error("two keys give one id")
		}
	}
}

// TestFixedIDsMakeOneThing repeats each creation after the process died before
// the answer was kept.
func TestFixedIDsMakeOneThing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.ReplayID(f.org, "key")
	makes := map[string]func() (string, error){
		"import": func() (string, error) {
			imp, err := f.CreateImport(f.ctx, f.org, service.NewImport{ID: id, Doc: doc(t, contacts, ""), Rows: strings.NewReader("[]")})
			return imp.ID + string(imp.Status), err
		},
		"schema": func() (string, error) {
			s, _, err := f.CreateSchema(f.ctx, f.org, service.SchemaDraft{ID: id, Doc: named(t, "Contacts")})
			return s.ID, err
		},
		"session": func() (string, error) {
			h, err := f.CreateSession(f.ctx, f.org, service.NewSession{ID: id})
			return h.Session.ID, err
		},
		"credential": func() (string, error) {
			draft := passwordDraft()
			draft.ID = id
			c, err := f.CreateCredential(f.ctx, f.org, draft)
			return c.ID, err
		},
	}
	for noun, create := range makes {
		first, err := create()
		must(t, err)
		second, err := create()
		if err != nil || first != second || !strings.HasPrefix(first, id) {
			t.Errorf("%s: made %s and then %s, error %v", noun, first, second, err)
		}
	}
	f.runAll()
	imp := f.now(service.Import{ID: id, Org: f.org})
	again, err := f.CreateImport(f.ctx, f.org, service.NewImport{ID: id, Doc: doc(t, contacts, ""), Rows: strings.NewReader("[]")})
	if err != nil || again.Status != service.AwaitingUpload || again.Outcome != nil || !again.Modified.Equal(again.Created) {
		t.Errorf("after the end of the import (%s), the repeated creation answers %+v, %v", imp.Status, again, err)
	}
	list, total, err := f.Imports(f.ctx, f.org, 0, 10)
	if err != nil || total != 1 || len(list) != 1 {
		t.Errorf("%d imports, error %v; want one", total, err)
	}
}

func named(t testing.TB, name string) schemajson.Doc {
	d := doc(t, contacts, "")
	d.Name = name
	return d
}
