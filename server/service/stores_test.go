package service_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
)

// VerifyStoreFingerprint returns an error if the blobs belong to a different database.
func TestStoreFingerprint(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.VerifyStoreFingerprint(f.ctx))
	must(t, f.VerifyStoreFingerprint(f.ctx))
	f.newImport("")
	must(t, f.newNode("folder/two").VerifyStoreFingerprint(f.ctx))
	other := f.newNode("elsewhere/one", func(_ *fixture, cfg *service.Config) { cfg.Blobs = blobtest.NewMemory() })
	if err := other.VerifyStoreFingerprint(f.ctx); !errors.Is(err, retention.ErrOtherBlobs) {
		t.Errorf("with other blobs: error %v", err)
	}
	foreign := emptyFixture(t).newNode("folder/one", func(_ *fixture, cfg *service.Config) { cfg.Blobs = f.Blobs })
	if err := foreign.VerifyStoreFingerprint(f.ctx); !errors.Is(err, retention.ErrOtherStore) {
		t.Errorf("with another store: error %v", err)
	}
	f.Blobs.OnUse(func(context.Context, string, string) error { return errDisconnected })
	if err := f.VerifyStoreFingerprint(f.ctx); !errors.Is(err, errDisconnected) {
		t.Errorf("with failing blobs: error %v", err)
	}
}

// TestCheckFingerprint checks that a process that only deletes blobs refuses those of a different
// store, and writes no fingerprint.
func TestCheckFingerprint(t *testing.T) {
	t.Parallel()
	f := emptyFixture(t)
	check := func(what string, store, blobs *fixture, want error) {
		t.Helper()
		if err := retention.CheckFingerprint(f.ctx, store.Store, blobs.Blobs); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", what, err, want)
		}
	}
	check("before the first start", f, f, retention.ErrNoFingerprint)
	check("the second time", f, f, retention.ErrNoFingerprint)
	must(t, f.VerifyStoreFingerprint(f.ctx))
	check("after the first start", f, f, nil)
	other := emptyFixture(t)
	check("a new store", other, f, retention.ErrOtherStore)
	check("new blobs", f, other, retention.ErrOtherBlobs)
	must(t, other.VerifyStoreFingerprint(f.ctx))
	check("two used stores", f, other, retention.ErrOtherBlobs)
	f.Blobs.OnUse(func(context.Context, string, string) error { return errDisconnected })
	check("failing blobs", f, f, errDisconnected)
}

// If two data folders are opened with the same new database, only the first one is accepted,
// even if its first process failed before it wrote the fingerprint.
func TestFingerprintOfNewFolders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Blobs.OnUse(func(_ context.Context, use, _ string) error {
		if use == "create" {
			return errDisconnected
		}
		return nil
	})
	if err := f.VerifyStoreFingerprint(f.ctx); !errors.Is(err, errDisconnected) {
		t.Fatalf("error %v, want the broken disk", err)
	}
	f.Blobs.OnUse(nil)
	other := f.newNode("elsewhere/one", func(_ *fixture, cfg *service.Config) { cfg.Blobs = blobtest.NewMemory() })
	if err := other.VerifyStoreFingerprint(f.ctx); !errors.Is(err, retention.ErrOtherBlobs) {
		t.Errorf("the second folder: error %v", err)
	}
	must(t, f.newNode("folder/two").VerifyStoreFingerprint(f.ctx))
	must(t, f.newNode("elsewhere/two").VerifyStoreFingerprint(f.ctx)) // has the blobs of the first folder
}

// TestFirstStartOfTwoProcesses checks that a process waits for the fingerprint if another one has
// written it to the store, but not yet to the blobs.
func TestFirstStartOfTwoProcesses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	creating, waiting := make(chan struct{}), make(chan struct{})
	reads := 0 // of the second process
	f.Blobs.OnUse(func(_ context.Context, use, key string) error {
		switch {
		case key != model.FingerprintKey:
		case use == "create":
			close(creating)
			<-waiting
		case isClosed(creating) && !isClosed(waiting):
			if reads++; reads == 2 {
				close(waiting)
			}
		}
		return nil
	})
	first := make(chan error, 1)
	go func() { first <- f.VerifyStoreFingerprint(f.ctx) }()
	<-creating
	second := f.newNode("elsewhere/one").VerifyStoreFingerprint(f.ctx)
	if !isClosed(waiting) {
		close(waiting)
	}
	if err := errors.Join(second, <-first); err != nil {
		t.Error(err)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, f.Ready(f.ctx))
	for code, change := range map[string]option{
		"store_unavailable": func(f *fixture, cfg *service.Config) { cfg.Store = unreachableStore{f.Store} },
		"blobs_unavailable": func(_ *fixture, cfg *service.Config) { cfg.Blobs = unwritableBlobs{blobtest.NewMemory()} },
	} {
		f.wantError(f.newNode("folder/two", change).Ready(f.ctx), model.Unavailable, code)
	}
}

// TestFindingReliability5Skew checks that a clock of the database that differs by more than 1 s from
// that of the process is reported, once for each change.
func TestFindingReliability5Skew(t *testing.T) {
	t.Parallel()
	var log servertest.Log
	var ahead time.Duration
	f := newFixture(t)
	node := f.newNode("folder/two", func(f *fixture, cfg *service.Config) {
		cfg.Store = skewedStore{cfg.Store, func() time.Time { return f.Clock.Now().Add(ahead) }}
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	for _, c := range []struct {
		ahead, want   time.Duration
		differ, agree int
	}{
		{time.Second, 0, 0, 0},
		{-5 * time.Second, -5 * time.Second, 1, 0},
		{-6 * time.Second, -6 * time.Second, 1, 0},
		{-time.Second, 0, 1, 1},
		{24 * time.Hour, 24 * time.Hour, 2, 1},
	} {
		ahead = c.ahead
		must(t, node.RecordHeartbeat(f.ctx))
		differ, agree := strings.Count(log.String(), "database differ"), strings.Count(log.String(), "database agree again")
		if got := node.ClockSkew(); got != c.want || differ != c.differ || agree != c.agree {
			t.Errorf("%s ahead: skew %s, log:\n%s", c.ahead, got, log.String())
		}
	}
}

func TestFailedHeartbeatsAreCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	canceled, cancel := context.WithCancel(f.ctx)
	cancel()
	for range 2 {
		if err := f.RecordHeartbeat(canceled); err == nil {
			t.Error("a heartbeat was recorded after its time limit")
		}
	}
	must(t, f.RecordHeartbeat(f.ctx))
	f.wantCounts(imports.Counts{FailedHeartbeats: 2})
}

// skewedStore is a store whose clock is set by a function.
type skewedStore struct {
	model.Store
	now func() time.Time
}

func (s skewedStore) UpdateOne(ctx context.Context, work func(model.Tx) error) error {
	return s.Store.UpdateOne(ctx, func(tx model.Tx) error {
		tx.Nodes = skewedNodes{tx.Nodes, s.now}
		return work(tx)
	})
}

type skewedNodes struct {
	model.NodeRows
	now func() time.Time
}

func (r skewedNodes) Heartbeat(context.Context, model.Heartbeat) (time.Time, error) {
	return r.now(), nil
}

type unreachableStore struct{ model.Store }

func (unreachableStore) Ping(context.Context) error { return errDisconnected }

type unwritableBlobs struct{ *blobtest.Memory }

func (unwritableBlobs) CheckWritable(context.Context) error { return errDisconnected }

// If the disk is full during an upload, the creation of an import or the saving of a session
// file, the error is storage_full, and no blobs remain.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.newImport("")
	f.Blobs.LimitSize(3)
	for name, err := range map[string]error{
		"an upload":      f.upload(imp, goodFile),
		"rows":           f.tryRows(),
		"a session file": f.trySessionFile(),
	} {
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.Unavailable || e.Code != "storage_full" || e.RetryAfter < time.Second {
			t.Errorf("%s: error %#v, want storage_full and a time to retry", name, err)
		}
	}
	f.wantStatus(imp, model.AwaitingUpload)
	if left := f.Blobs.Keys(""); len(left) > 0 {
		t.Errorf("blobs remain: %v", left)
	}
	f.Blobs.LimitSize(-1)
	must(t, f.upload(imp, goodFile))
	f.runAll()
	f.wantResult(imp, goodResult)
}

func (f *fixture) tryRows() error {
	_, err := f.CreateImport(f.ctx, f.org, imports.Draft{Doc: doc(f.T, contacts, ""), Rows: strings.NewReader(`[{"email":"x"}]`)})
	return err
}

func (f *fixture) trySessionFile() error {
	_, err := f.SaveSessionFile(f.ctx, f.newSession().Session, imports.IncomingFile{Body: strings.NewReader(goodFile), Length: -1}, "text/csv")
	return err
}

func TestIsShort(t *testing.T) {
	t.Parallel()
	if !imports.IsShort(fmt.Errorf("read: %w", io.ErrUnexpectedEOF)) || imports.IsShort(io.EOF) || imports.IsShort(nil) {
		t.Error("only io.ErrUnexpectedEOF is short")
	}
}

func TestWarningsOfSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	d := namedSchema(t, "Contacts")
	d.Hooks = decoded(t, `{"rowHooks":["(record) => { fetch('https://example.org') }"]}`)
	d.Settings = decoded(t, `{"webhookUrl":"http://example.org/hook","needsReviewWebhookUrl":"https://example.org/hook"}`)
	_, warnings, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: d})
	must(t, err)
	if all := strings.Join(intray.RenderAll(warnings), "\n"); len(warnings) != 2 || !strings.Contains(all, "fetch") || !strings.Contains(all, "webhookUrl: Calls to an http URL") {
		t.Errorf("warnings %q, want one about fetch and one about http", warnings)
	}
}
