package service_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/importlinks"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

const threeDays = 72 * time.Hour

// unknownID is an id that no object has.
const unknownID = "0f8fad5b-d9cb-469f-a165-70867728950e"

func TestReplay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	response := auth.ReplayedResponse{Status: 201, Body: []byte(`{"id":"7"}`)}
	must(t, f.beginReplay(f.Service, "key", "print").Finish(f.ctx, response))
	for range 2 {
		f.wantReplay("key", "print", response)
	}
	f.wantReplayConflict("key", "other", "idempotency_key_reused")
	other, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	if got, lock, err := f.BeginReplay(f.ctx, other.ID, "key", "print"); got != nil || lock == nil || err != nil {
		t.Errorf("the key of another organization: response %v, error %v; want a lock", got, err)
	}
}

// beginReplay checks that a request with the key is new, so that the caller must handle it.
func (f *fixture) beginReplay(s *service.Service, key, print string) *auth.ReplayLock {
	f.Helper()
	got, lock, err := s.BeginReplay(f.ctx, f.org, key, print)
	if got != nil || lock == nil || err != nil {
		f.Fatalf("response %v, error %v; want a lock", got, err)
	}
	return lock
}

// wantReplay checks that a request with the key gets the stored response.
func (f *fixture) wantReplay(key, print string, want auth.ReplayedResponse) {
	f.Helper()
	got, lock, err := f.BeginReplay(f.ctx, f.org, key, print)
	must(f.T, err)
	if diff := cmp.Diff(&want, got); diff != "" || lock != nil {
		f.Errorf("lock %v, the response (-want +got):\n%s", lock, diff)
	}
}

// wantReplayConflict checks that a request conflicts with a different one that has the same key.
func (f *fixture) wantReplayConflict(key, print, code string) {
	f.Helper()
	_, _, err := f.BeginReplay(f.ctx, f.org, key, print)
	f.wantError(err, model.Conflict, code)
}

func TestResponsesAreEncrypted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.beginReplay(f.Service, "key", "print").Finish(f.ctx, auth.ReplayedResponse{Status: 201, Body: []byte("a secret response")}))
	must(t, f.Store.View(f.ctx, func(tx model.Tx) error {
		kept, err := tx.Replays.Get(f.ctx, f.org, "key")
		if strings.Contains(string(kept.Sealed), "secret") {
			t.Error("the stored response is not encrypted")
		}
		return err
	}))
}

func TestReplaysExpire(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.RunMaintenance(f.ctx)) // deletes expired replays now and every 40 rounds
	first := f.beginReplay(f.Service, "key", "print")
	must(t, first.Finish(f.ctx, auth.ReplayedResponse{Status: 201}))
	f.Clock.Advance(threeDays)
	f.wantReplay("key", "print", auth.ReplayedResponse{Status: 201})
	f.Clock.Advance(time.Microsecond)
	second := f.beginReplay(f.Service, "key", "print")
	if second.ID == first.ID {
		t.Error("an expired key has the same ID when it is used again")
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

// TestFindingScale1Replays checks that one transaction deletes only a small part of a large number
// of expired responses, so that other writes do not wait for all of them.
func TestFindingScale1Replays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const expired = 2*model.DeleteBatch + 1
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range expired {
			if err := tx.Replays.Insert(f.ctx, model.Replay{Org: f.org, Key: fmt.Sprint(n), Created: f.Clock.Now()}); err != nil {
				return err
			}
		}
		return nil
	}))
	f.Clock.Advance(threeDays + time.Microsecond)
	var transactions []int64
	cleaner := f.newNode("folder/two", func(f *fixture, cfg *service.Config) {
		cfg.Store = deletionCounter{cfg.Store, &transactions}
	})
	must(t, cleaner.ForgetReplays(f.ctx))
	if diff := cmp.Diff([]int64{model.DeleteBatch, model.DeleteBatch, 1}, transactions); diff != "" {
		t.Errorf("replays deleted by each transaction (-want +got):\n%s", diff)
	}
}

// deletionCounter is a store that records how many replays each transaction deletes.
type deletionCounter struct {
	model.Store
	transactions *[]int64
}

func (s deletionCounter) Update(ctx context.Context, work func(model.Tx) error) error {
	*s.transactions = append(*s.transactions, 0)
	return s.Store.Update(ctx, func(tx model.Tx) error {
		tx.Replays = countedReplays{tx.Replays, &(*s.transactions)[len(*s.transactions)-1]}
		return work(tx)
	})
}

type countedReplays struct {
	model.ReplayRows
	deleted *int64
}

func (r countedReplays) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	n, err := r.ReplayRows.DeleteBefore(ctx, t, limit)
	*r.deleted += n
	return n, err
}

func TestReplayInProgress(t *testing.T) {
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
		t.Error("the interrupted request of a dead process has another ID when it is repeated")
	}
}

// TestFrozenRequest checks that a process that was frozen during a request creates nothing when it
// continues, if another process has taken over the request: its object may have been deleted since.
func TestFrozenRequest(t *testing.T) {
	t.Parallel()
	creations := map[string]func(s *service.Service, f *fixture, ctx context.Context, id string) error{
		"import": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			_, err := s.CreateImport(ctx, f.org, imports.Draft{ID: id, Doc: namedSchema(f.T, "")})
			return err
		},
		"import with rows": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			_, err := s.CreateImport(ctx, f.org, imports.Draft{ID: id, Doc: namedSchema(f.T, ""), Rows: strings.NewReader(`[{"a":1}]`)})
			return err
		},
		"schema": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			_, _, err := s.CreateSchema(ctx, f.org, schemas.Draft{ID: id, Doc: namedSchema(f.T, "Frozen")})
			return err
		},
		"session": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			_, err := s.CreateSession(ctx, f.org, imports.NewSession{ID: id})
			return err
		},
		"credential": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			draft := passwordDraft()
			draft.ID = id
			_, err := s.CreateCredential(ctx, f.org, draft)
			return err
		},
		"webhook": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			_, _, err := s.CreateWebhook(ctx, f.org, webhooks.Draft{ID: id, URL: "http://listener", Enabled: true})
			return err
		},
		"connector": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			credential, err := f.CreateCredential(f.ctx, f.org, passwordDraft())
			must(f.T, err)
			draft := connectors.Draft{ID: id, CredentialID: credential.ID, SchemaID: f.savedSchema(), Directory: "/in", Schedule: model.Schedule{Minutes: 5}}
			_, err = s.CreateConnector(ctx, f.org, draft)
			return err
		},
		"import link": func(s *service.Service, f *fixture, ctx context.Context, id string) error {
			_, err := s.CreateImportLink(ctx, f.org, importlinks.Draft{ID: id, Name: "Link", SchemaID: f.savedSchema()})
			return err
		},
	}
	for name, create := range creations {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, withRemote, withSender(&fakeSender{}))
			frozen := f.newNode("elsewhere/two", withRemote, withSender(&fakeSender{}))
			must(t, frozen.Join(f.ctx))
			lock := f.beginReplay(frozen, "key", "print")
			must(t, frozen.Leave(f.ctx)) // as if the others considered it dead
			other := f.beginReplay(f.Service, "key", "print")
			f.wantError(create(frozen, f, model.WithRequestCheck(f.ctx, lock.Check), lock.ID), model.Conflict, "idempotency_key_in_use")
			must(t, create(f.Service, f, model.WithRequestCheck(f.ctx, other.Check), other.ID))
			must(t, other.Finish(f.ctx, auth.ReplayedResponse{Status: 201}))
			f.wantError(f.Store.Update(f.ctx, func(tx model.Tx) error { return lock.Check(f.ctx, tx) }), model.Conflict, "idempotency_key_in_use")
		})
	}
}

// savedSchema creates a schema and returns its id.
func (f *fixture) savedSchema() string {
	f.Helper()
	saved, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: namedSchema(f.T, rand.Text())})
	must(f.T, err)
	return saved.ID
}

// After an internal error, a repeated request gets the same ID, and a different request can
// use the key.
func TestReleasedReplay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.beginReplay(f.Service, "key", "print")
	must(t, first.Release(f.ctx))
	f.Clock.Advance(time.Minute)
	again := f.beginReplay(f.Service, "key", "print")
	if again.ID != first.ID {
		t.Error("the same request has another ID")
	}
	must(t, again.Release(f.ctx))
	other := f.beginReplay(f.Service, "key", "another request")
	if other.ID == first.ID {
		t.Error("another request has the same ID")
	}
	f.wantReplayConflict("key", "print", "idempotency_key_reused")
	must(t, other.Finish(f.ctx, auth.ReplayedResponse{Status: 201}))
	f.wantReplay("key", "another request", auth.ReplayedResponse{Status: 201})
}

// staleStore is a store in which the next reads of idempotency keys find nothing. This
// is what a transaction reads if another process inserts the key at the same time.
type staleStore struct {
	model.Store
	reads int
}

func (s *staleStore) Update(ctx context.Context, work func(model.Tx) error) error {
	return s.Store.Update(ctx, func(tx model.Tx) error {
		tx.Replays = staleReplays{tx.Replays, s}
		return work(tx)
	})
}

type staleReplays struct {
	model.ReplayRows
	store *staleStore
}

func (r staleReplays) Get(ctx context.Context, org, key string) (model.Replay, error) {
	if r.store.reads > 0 {
		r.store.reads--
		return model.Replay{}, &model.Error{Kind: model.NotFound}
	}
	return r.ReplayRows.Get(ctx, org, key)
}

// If two processes begin requests with the same key at the same time, only one of them
// handles its request.
func TestConcurrentReplays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.newNode("elsewhere/two")
	must(t, other.Join(f.ctx))
	stale := &staleStore{Store: f.Store}
	f.Service = f.newNode(servertest.Node, func(_ *fixture, cfg *service.Config) { cfg.Store = stale })
	lock := f.beginReplay(other, "key", "print")
	for _, c := range []struct {
		reads       int
		print, code string
	}{
		{1, "print", "idempotency_key_in_use"},
		{1, "another request", "idempotency_key_reused"},
		{2, "print", "key_inserted"},
	} {
		stale.reads = c.reads
		f.wantReplayConflict("key", c.print, c.code)
		if stale.reads > 0 {
			t.Errorf("%s: %d stale reads are left", c.code, stale.reads)
		}
	}
	response := auth.ReplayedResponse{Status: 201, Body: []byte("{}")}
	must(t, lock.Finish(f.ctx, response))
	stale.reads = 1
	f.wantReplay("key", "print", response)
}

// If the response to a request cannot be saved, the request can be repeated with the same ID.
func TestReplayNotSaved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ends := map[string]func(ctx context.Context, lock *auth.ReplayLock) error{
		"finish": func(ctx context.Context, lock *auth.ReplayLock) error {
			return lock.Finish(ctx, auth.ReplayedResponse{Status: 201})
		},
		"release": func(ctx context.Context, lock *auth.ReplayLock) error { return lock.Release(ctx) },
	}
	for key, end := range ends {
		first := f.beginReplay(f.Service, key, "print")
		ctx, cancel := context.WithCancel(f.ctx)
		cancel()
		if err := end(ctx, first); err == nil {
			t.Fatalf("%s: no error", key)
		}
		f.wantReplayConflict(key, "another request", "idempotency_key_reused")
		if second := f.beginReplay(f.Service, key, "print"); second.ID != first.ID {
			t.Errorf("%s: the same request has another ID", key)
		}
	}
}

func TestReplayIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.beginReplay(f.Service, "key", "print").ID
	if parsed, ok := model.ParseID(id); !ok || parsed != id {
		t.Errorf("%q is not an id", id)
	}
	if other := f.beginReplay(f.Service, "key2", "print").ID; other == id {
		t.Error("two keys have the same ID")
	}
}

// Repeated creations with the same ID create only one object.
func TestRepeatedCreation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := unknownID
	creations := map[string]func() (string, error){
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
	for what, create := range creations {
		first, err := create()
		must(t, err)
		second, err := create()
		if err != nil || first != second || !strings.HasPrefix(first, id) {
			t.Errorf("%s: created %s and then %s, error %v", what, first, second, err)
		}
	}
	f.runAll()
	imp := f.reload(model.Import{ID: id, Org: f.org})
	again, err := f.CreateImport(f.ctx, f.org, imports.Draft{ID: id, Doc: doc(t, contacts, ""), Rows: strings.NewReader("[]")})
	if err != nil || again.Status != model.AwaitingUpload || again.Outcome != nil || !again.Modified.Equal(again.Created) {
		t.Errorf("after the end of the import (%s), the repeated creation returns %+v, %v", imp.Status, again, err)
	}
	list, total, err := servertest.Split(f.Imports(f.ctx, f.org, model.PageRequest{Limit: 10}))
	if err != nil || total != 1 || len(list) != 1 {
		t.Errorf("%d imports, error %v; want one", total, err)
	}
}

// TestReplayTakenOver checks that a process that others considered dead does not change the response of
// the process that has taken over its request.
func TestReplayTakenOver(t *testing.T) {
	t.Parallel()
	want := auth.ReplayedResponse{Status: 201, Body: []byte("created")}
	for name, end := range map[string]func(f *fixture, late *auth.ReplayLock) error{
		"release": func(f *fixture, late *auth.ReplayLock) error { return late.Release(f.ctx) },
		"finish": func(f *fixture, late *auth.ReplayLock) error {
			return late.Finish(f.ctx, auth.ReplayedResponse{Status: 409, Body: []byte("late")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			frozen, other := f.newNode("folder/frozen"), f.newNode("folder/two")
			late := f.beginReplay(frozen, "key", "print") // its node is not registered
			lock := f.beginReplay(other, "key", "print")
			if lock.ID != late.ID {
				t.Errorf("the request has the IDs %s and %s", late.ID, lock.ID)
			}
			must(t, lock.Finish(f.ctx, want))
			must(t, end(f, late))
			f.wantReplay("key", "print", want)
		})
	}
}

// TestCreationTakenOver checks that an import with rows keeps its file if two processes create it
// with the same id, because one of them was considered dead.
func TestCreationTakenOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.newNode("other/one")
	create := func(s *service.Service) (model.Import, error) {
		return s.CreateImport(f.ctx, f.org, imports.Draft{ID: unknownID, Doc: doc(f.T, contacts, ""), Rows: strings.NewReader(`[{"email":"ada@example.org"}]`)})
	}
	begun := false
	f.Blobs.OnUse(func(_ context.Context, use, _ string) error {
		if use != "create" || begun {
			return nil
		}
		begun = true
		_, err := create(other)
		return err
	})
	imp, err := create(f.Service)
	must(t, err)
	f.Blobs.OnUse(nil)
	f.Clock.Advance(model.GuardFor + time.Hour)
	must(t, f.RunMaintenance(f.ctx))
	if imp = f.reload(imp); len(f.Blobs.Keys(imp.Prefix())) != 1 || f.Blobs.Keys(imp.Prefix())[0] != imp.Raw.Key {
		t.Errorf("the files are %q, want %q", f.Blobs.Keys(imp.Prefix()), imp.Raw.Key)
	}
	f.runAll()
	f.wantStatus(imp, model.Successful)
}

func namedSchema(t testing.TB, name string) schema.Doc {
	d := doc(t, contacts, "")
	d.Name = name
	return d
}
