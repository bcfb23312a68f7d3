package service_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/service"
)

const threeDays = 72 * time.Hour

// unknownID is the id of nothing.
const unknownID = "0f8fad5b-d9cb-469f-a165-70867728950e"

func TestReplayGivesTheAnswerAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	answer := auth.ReplayedResponse{Status: 201, Body: []byte(`{"id":"7"}`)}
	must(t, f.beginReplay(f.Service, "key", "print").Finish(f.ctx, answer))
	for range 2 {
		f.wantReplay("key", "print", answer)
	}
	f.wantReplayConflict("key", "other", "idempotency_key_reused")
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	if got, turn, err := f.BeginReplay(f.ctx, other.ID, "key", "print"); got != nil || turn == nil || err != nil {
		t.Errorf("another organization's key: answer %v, error %v; want a turn", got, err)
	}
}

// begins checks that a request with the key is the caller's to carry out.
func (f *fixture) beginReplay(s *service.Service, key, print string) *auth.ReplayLock {
	f.Helper()
	got, turn, err := s.BeginReplay(f.ctx, f.org, key, print)
	if got != nil || turn == nil || err != nil {
		f.Fatalf("answer %v, error %v; want a turn", got, err)
	}
	return turn
}

// answers checks that a request gets the answer that was kept.
func (f *fixture) wantReplay(key, print string, want auth.ReplayedResponse) {
	f.Helper()
	got, turn, err := f.BeginReplay(f.ctx, f.org, key, print)
	must(f.T, err)
	if diff := cmp.Diff(&want, got); diff != "" || turn != nil {
		f.Errorf("turn %v, the answer (-want +got):\n%s", turn, diff)
	}
}

// busy checks that a request is refused for another one with its key.
func (f *fixture) wantReplayConflict(key, print, code string) {
	f.Helper()
	_, _, err := f.BeginReplay(f.ctx, f.org, key, print)
	f.wantError(err, model.Conflict, code)
}

func TestKeptAnswersAreSealed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.beginReplay(f.Service, "key", "print").Finish(f.ctx, auth.ReplayedResponse{Status: 201, Body: []byte("a secret answer")}))
	must(t, f.Store.View(f.ctx, func(tx model.Tx) error {
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
	must(t, f.RunMaintenance(f.ctx)) // the first sweep forgets; the next that does is far away
	first := f.beginReplay(f.Service, "key", "print")
	must(t, first.Finish(f.ctx, auth.ReplayedResponse{Status: 201}))
	f.Clock.Advance(threeDays)
	f.wantReplay("key", "print", auth.ReplayedResponse{Status: 201})
	f.Clock.Advance(time.Microsecond)
	second := f.beginReplay(f.Service, "key", "print")
	if second.ID == first.ID {
		t.Error("a key used again after its time makes the thing that it made before")
	}
	must(t, second.Finish(f.ctx, auth.ReplayedResponse{Status: 201}))
	f.Clock.Advance(threeDays + time.Microsecond)
	must(t, f.newNode("folder/two").RunMaintenance(f.ctx))
	err := f.Store.View(f.ctx, func(tx model.Tx) error {
		_, err := tx.Replays.Get(f.ctx, f.org, "key")
		return err
	})
	f.wantError(err, model.NotFound, "")
}

func TestReplayOfARequestUnderWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.newNode("elsewhere/two")
	must(t, other.Join(f.ctx))
	first := f.beginReplay(other, "key", "print")
	f.wantReplayConflict("key", "print", "idempotency_key_in_use")
	f.wantReplayConflict("key", "another request", "idempotency_key_reused")
	must(t, other.Leave(f.ctx))
	second := f.beginReplay(f.Service, "key", "print")
	f.wantReplayConflict("key", "print", "idempotency_key_in_use")
	if first.ID != second.ID {
		t.Error("the request that a dead process began makes another thing")
	}
}

// TestReplayReleased repeats a request whose first answer was a fault of ours.
func TestReplayReleased(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.beginReplay(f.Service, "key", "print")
	must(t, first.Release(f.ctx))
	f.Clock.Advance(time.Minute)
	again := f.beginReplay(f.Service, "key", "print")
	if again.ID != first.ID {
		t.Error("the same request makes another thing")
	}
	must(t, again.Release(f.ctx))
	other := f.beginReplay(f.Service, "key", "another request")
	if other.ID == first.ID {
		t.Error("another request makes the same thing")
	}
	f.wantReplayConflict("key", "print", "idempotency_key_reused")
	must(t, other.Finish(f.ctx, auth.ReplayedResponse{Status: 201}))
	f.wantReplay("key", "another request", auth.ReplayedResponse{Status: 201})
}

// TestReplayWhoseEndWasNotKept goes on after the store did not take the end of
// a request.
func TestReplayWhoseEndWasNotKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ends := map[string]func(ctx context.Context, turn *auth.ReplayLock) error{
		"finish": func(ctx context.Context, turn *auth.ReplayLock) error {
			return turn.Finish(ctx, auth.ReplayedResponse{Status: 201})
		},
		"release": func(ctx context.Context, turn *auth.ReplayLock) error { return turn.Release(ctx) },
	}
	for key, end := range ends {
		first := f.beginReplay(f.Service, key, "print")
		ctx, cancel := context.WithCancel(f.ctx)
		cancel()
		if err := end(ctx, first); err == nil {
			t.Fatalf("%s: the store took it", key)
		}
		f.wantReplayConflict(key, "another request", "idempotency_key_reused")
		if second := f.beginReplay(f.Service, key, "print"); second.ID != first.ID {
			t.Errorf("%s: the same request makes another thing", key)
		}
	}
}

func TestReplayIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.beginReplay(f.Service, "key", "print").ID
	if parsed, ok := model.ParseID(id); !ok || parsed != id {
		t.Errorf("%q is no id", id)
	}
	if other := f.beginReplay(f.Service, "key2", "print").ID; other == id {
		t.Error("two keys give one id")
	}
}

// TestFixedIDsMakeOneThing repeats each creation after the process died before
// the answer was kept.
func TestFixedIDsMakeOneThing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := unknownID
	makes := map[string]func() (string, error){
		"import": func() (string, error) {
			imp, err := f.CreateImport(f.ctx, f.org, imports.Draft{ID: id, Doc: doc(t, contacts, ""), Rows: strings.NewReader("[]")})
			return imp.ID + string(imp.Status), err
		},
		"schema": func() (string, error) {
			s, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{ID: id, Doc: namedSchema(t, "Contacts")})
			return s.ID, err
		},
		"session": func() (string, error) {
			h, err := f.CreateSession(f.ctx, f.org, imports.NewSession{ID: id})
			return h.Session.ID, err
		},
		"credential": func() (string, error) {
			draft := passwordDraft()
			draft.ID = id
			c, err := f.CreateCredential(f.ctx, f.org, draft)
			return c.ID, err
		},
	}
	for what, create := range makes {
		first, err := create()
		must(t, err)
		second, err := create()
		if err != nil || first != second || !strings.HasPrefix(first, id) {
			t.Errorf("%s: made %s and then %s, error %v", what, first, second, err)
		}
	}
	f.runAll()
	imp := f.reload(model.Import{ID: id, Org: f.org})
	again, err := f.CreateImport(f.ctx, f.org, imports.Draft{ID: id, Doc: doc(t, contacts, ""), Rows: strings.NewReader("[]")})
	if err != nil || again.Status != model.AwaitingUpload || again.Outcome != nil || !again.Modified.Equal(again.Created) {
		t.Errorf("after the end of the import (%s), the repeated creation answers %+v, %v", imp.Status, again, err)
	}
	list, total, err := f.Imports(f.ctx, f.org, 0, 10)
	if err != nil || total != 1 || len(list) != 1 {
		t.Errorf("%d imports, error %v; want one", total, err)
	}
}

func namedSchema(t testing.TB, name string) schema.Doc {
	d := doc(t, contacts, "")
	d.Name = name
	return d
}
