package imports

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// stallStore is a store with one running import.
type stallStore struct {
	runStore
	model.TrashRows
	imp model.Import
	// faults is the number of updates that fail.
	faults int
	ended  []model.Status
}

func (s *stallStore) Update(_ context.Context, work func(model.Tx) error) error {
	if s.faults > 0 {
		s.faults--
		return errors.New("disk full")
	}
	return work(model.Tx{Imports: stallRows{s}, Trash: s, Uploads: noUploads{}})
}

func (s *stallStore) Schedule(context.Context, model.Trash) error { return nil }

type stallRows struct{ *stallStore }

func (r stallRows) Get(context.Context, string, string) (model.Import, error) { return r.imp, nil }

func (r stallRows) InStatus(ctx context.Context, status model.Status, node string, limit int) ([]model.ImportRef, error) {
	return r.runStore.InStatus(ctx, status, node, limit)
}

func (r stallRows) UpdateIf(_ context.Context, imp model.Import, from model.Status, run int) error {
	if from != r.imp.Status || run != r.imp.Run {
		return errors.New("the import has changed")
	}
	r.imp = imp
	r.ended = append(r.ended, imp.Status)
	return nil
}

type noUploads struct{ model.UploadRows }

func (noUploads) Get(context.Context, string, string) (model.Upload, error) {
	return model.Upload{}, nil
}
func (noUploads) Save(context.Context, model.Upload) error { return nil }

func newStallTest(log io.Writer) (*Service, *stallStore) {
	ref := model.ImportRef{Org: "o", ID: "i", Run: 3}
	store := &stallStore{runStore: runStore{states: []runState{{running: []model.ImportRef{ref}}}}, imp: model.Import{Org: "o", ID: "i", Run: 3, Status: model.Running}}
	return &Service{
		env: &model.Env{Store: store, Node: "folder/one", Clock: time.Now, Observer: model.Unobserved{}, Log: slog.New(slog.NewTextHandler(log, nil))},
		cfg: Config{StallTimeout: time.Minute, OnTransition: func(context.Context, model.Tx, model.Import, model.Upload) error { return nil }},
	}, store
}

// TestS1StalledRun checks that a run that makes no progress is canceled, and that its import
// fails even if the run never looks at its context.
func TestS1StalledRun(t *testing.T) {
	for name, faults := range map[string]int{"at once": 0, "after the store has failed": 3} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s, store := newStallTest(&log)
				store.faults = faults
				ctx, stop := s.watchRun(t.Context(), store.imp)
				record := progressOf(ctx)
				for range 10 { // no pause is long enough
					time.Sleep(59 * time.Second)
					record()
				}
				if ctx.Err() != nil || len(store.ended) > 0 {
					t.Fatalf("a run that makes progress was canceled: %v, %v", context.Cause(ctx), store.ended)
				}
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), errStalled) || store.imp.Status != model.Failed || len(store.ended) != 1 {
					t.Errorf("canceled with %v, the import has become %v; want FAILED once", context.Cause(ctx), store.ended)
				}
				if text := store.imp.Outcome.AllNotices()[0].Text.String(); text == "" || store.imp.Node != "" {
					t.Errorf("the import has the message %q and the node %q", text, store.imp.Node)
				}
				synctest.Wait()
				if got := s.Counts(); got != (Counts{Stalled: 1}) {
					t.Errorf("counts before the run is reported as stuck: %+v", got)
				}
				time.Sleep(stopPatience + time.Second)
				if got := s.Counts(); got != (Counts{Stalled: 1, Stuck: 1}) {
					t.Errorf("counts while the run does not stop: %+v", got)
				}
				stop()
				synctest.Wait()
				if got := s.Counts(); got != (Counts{Stalled: 1}) {
					t.Errorf("counts after the run has stopped: %+v", got)
				}
			})
		})
	}
}

// TestStallAfterTheEnd checks that a run that has ended is not reported as stalled.
func TestStallAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := newStallTest(io.Discard)
		store.imp.Status = model.Successful // but the list of running imports is outdated
		ctx, stop := s.watchRun(t.Context(), store.imp)
		defer stop()
		time.Sleep(10 * time.Minute)
		if ctx.Err() != nil || len(store.ended) > 0 || s.Counts() != (Counts{}) {
			t.Errorf("canceled with %v, changes %v, counts %+v", context.Cause(ctx), store.ended, s.Counts())
		}
	})
}

type emptyBlob struct{ blob.Reader }

func (emptyBlob) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

func TestReadsAreProgress(t *testing.T) {
	n := 0
	r := trackedReader{emptyBlob{}, func() { n++ }}
	if _, err := r.ReadAt(nil, 0); !errors.Is(err, io.EOF) || n != 1 {
		t.Errorf("error %v, %d records of progress; want io.EOF and 1", err, n)
	}
	progressOf(t.Context())() // does nothing outside of runs
}
