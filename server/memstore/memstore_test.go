package memstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/intraydata/intray/server/memstore"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) model.Store { return memstore.New(memstore.Config{}) })
}

// TestFailNth checks which transactions fail, and whether they are rolled back.
func TestFailNth(t *testing.T) {
	failure := errors.New("failure")
	insert := func(s model.Store, id string) error {
		return s.Update(t.Context(), func(tx model.Tx) error {
			return tx.Accounts.InsertOrg(t.Context(), model.Org{ID: id, Name: id})
		})
	}
	for at, stored := range map[memstore.Point]int{memstore.Begin: 1, memstore.Commit: 1, memstore.Committed: 2} {
		first := memstore.New(memstore.Config{})
		s := first.Share(memstore.Config{Intercept: memstore.FailNth(at, 2, failure)})
		if err := insert(s, "a"); err != nil {
			t.Errorf("%s: the first write: %v", at, err)
		}
		if err := insert(s, "b"); !errors.Is(err, failure) {
			t.Errorf("%s: the second write: %v, want the failure", at, err)
		}
		orgs, err := model.View(t.Context(), first, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(t.Context()) })
		if err != nil || len(orgs) != stored {
			t.Errorf("%s: %d organizations and %v, want %d", at, len(orgs), err, stored)
		}
	}
	s := memstore.New(memstore.Config{Intercept: memstore.FailNth(memstore.Read, 1, failure)})
	if err := s.View(t.Context(), func(model.Tx) error { return nil }); !errors.Is(err, failure) {
		t.Errorf("View: %v, want the failure", err)
	}
}

// TestDeadline checks that a deadline that has passed makes the store busy.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	s := memstore.New(memstore.Config{})
	err := s.Update(ctx, func(model.Tx) error { return nil })
	if !errors.Is(err, &model.Error{Kind: model.Unavailable, Code: "busy"}) {
		t.Errorf("Update: %v, want busy", err)
	}
}
