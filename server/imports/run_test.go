package imports

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/intraydata/intray/server/model"
)

// runStore is a store that moves to its next state after each transaction. It remains in the
// last state.
type runStore struct {
	model.Store
	model.ImportRows
	states []runState
	reads  int
}

type runState struct {
	running []model.ImportRef
	imp     model.Import
	// runningErr, err and endErr are the errors of InStatus, of Get and of the end of the
	// transaction.
	runningErr, err, endErr error
}

func (s *runStore) View(_ context.Context, work func(model.Tx) error) error {
	defer func() { s.reads++ }()
	return errors.Join(work(model.Tx{Imports: s}), s.state().endErr)
}

func (s *runStore) state() runState { return s.states[min(s.reads, len(s.states)-1)] }

func (s *runStore) InStatus(_ context.Context, status model.Status, node string, _ int) ([]model.ImportRef, error) {
	if status != model.Running || node != "folder/one" {
		return nil, errors.New("the runs of a different node or status were read")
	}
	return s.state().running, s.state().runningErr
}

func (s *runStore) Get(_ context.Context, org, id string) (model.Import, error) {
	if org != "o" || id != "i" {
		return model.Import{}, errors.New("a different import was read")
	}
	return s.state().imp, s.state().err
}

// TestWatchRun checks when and why a watched run is canceled.
func TestWatchRun(t *testing.T) {
	here := runState{running: []model.ImportRef{{Org: "o", ID: "other", Run: 1}, {Org: "o", ID: "i", Run: 3}}}
	broken := runState{runningErr: errors.New("disk full")}
	missing := &model.Error{Kind: model.NotFound}
	for name, c := range map[string]struct {
		states []runState
		want   error
	}{
		"deleted":          {[]runState{{err: missing}}, errSuperseded},
		"deleted later":    {[]runState{here, here, here, {err: missing}}, errSuperseded},
		"a newer run":      {[]runState{here, {imp: model.Import{Run: 4, Status: model.Running}}}, errSuperseded},
		"a newer run here": {[]runState{{running: []model.ImportRef{{Org: "o", ID: "i", Run: 4}}, imp: model.Import{Run: 4, Status: model.Running}}}, errSuperseded},
		"ended":            {[]runState{here, {imp: model.Import{Run: 3, Status: model.Successful}}}, errEnded},
		"in the queue":     {[]runState{here, {imp: model.Import{Run: 3, Status: model.Pending}}}, errEnded},
		"a failing store":  {[]runState{broken, {err: errors.New("disk full")}, {imp: model.Import{Run: 3, Status: model.Failed}}}, errEnded},
		"a failing end":    {[]runState{{imp: model.Import{Run: 4}, endErr: errors.New("disk full")}, {imp: model.Import{Run: 3, Status: model.Failed}}}, errEnded},
		"not listed":       {[]runState{{imp: model.Import{Run: 3, Status: model.Running}}, {err: missing}}, errSuperseded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &runStore{states: c.states}
				s := &Service{env: &model.Env{Store: store, Node: "folder/one"}}
				began := time.Now()
				limit, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				ctx, stop := s.watchRun(limit, model.Import{Org: "o", ID: "i", Run: 3})
				defer stop()
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), c.want) || store.reads != len(c.states) {
					t.Errorf("canceled after %d reads: %v, want %v after %d", store.reads, context.Cause(ctx), c.want, len(c.states))
				}
				if passed := time.Since(began); passed != time.Duration(len(c.states))*500*time.Millisecond {
					t.Errorf("canceled after %s", passed)
				}
			})
		})
	}
}

// TestWatchEnds checks that a run is no longer watched after it has ended.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &runStore{states: []runState{{running: []model.ImportRef{{Org: "o", ID: "i", Run: 3}}}}}
		s := &Service{env: &model.Env{Store: store, Node: "folder/one"}}
		ctx, stop := s.watchRun(t.Context(), model.Import{Org: "o", ID: "i", Run: 3})
		if ctx.Err() != nil {
			t.Errorf("the context was canceled at once: %v", ctx.Err())
		}
		stop()
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Errorf("after the end of the run, the context has %v", context.Cause(ctx))
		}
		synctest.Wait()
		if store.reads > 0 {
			t.Errorf("the run was read %d times", store.reads)
		}
	})
}
