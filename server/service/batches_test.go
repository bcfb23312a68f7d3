package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
)

// TestFindingScale1Connector checks that a connector that remembers many files is deleted in small
// transactions, and that it does not fetch files again if the deletion is interrupted.
func TestFindingScale1Connector(t *testing.T) {
	t.Parallel()
	f := newFixture(t, withFetch(func(context.Context, string) error { return nil }))
	f.remote.AddFile("a.csv", goodFile)
	c := f.newConnector(f.org, "u", connectors.Draft{})
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range 2*model.DeleteBatch + 1 {
			file := model.PulledFile{Org: f.org, ConnectorID: c.ID, File: model.RemoteFile{Path: fmt.Sprint(n)}}
			if err := tx.Pulled.Upsert(f.ctx, file); err != nil {
				return err
			}
		}
		return nil
	}))
	remembered := func() (list []model.PulledFile) {
		t.Helper()
		list, err := model.View(f.ctx, f.Store, func(tx model.Tx) ([]model.PulledFile, error) {
			return tx.Pulled.ListByConnector(f.ctx, c.ID)
		})
		must(t, err)
		return list
	}
	f.Faults.ArmUse("Connectors.Delete", 1)
	if err := f.DeleteConnector(f.ctx, f.org, c.ID); !errors.Is(err, servertest.ErrInjected) {
		t.Errorf("the interrupted deletion: %v", err)
	}
	if n := len(remembered()); n != 1 {
		t.Errorf("%d files are remembered after two transactions, want 1", n)
	}
	f.Clock.Advance(24 * time.Hour)
	if n := f.runConnectors(); n != 0 {
		t.Errorf("the connector ran %d times", n)
	}
	must(t, f.DeleteConnector(f.ctx, f.org, c.ID))
	if n := len(remembered()); n != 0 {
		t.Errorf("%d files are remembered after the deletion", n)
	}
	f.wantError(f.DeleteConnector(f.ctx, f.org, c.ID), model.NotFound, "not_found")
}

// withLog stores a log of 2*DeleteBatch+1 changes for the run of an import.
func (f *fixture) withLog(imp model.Import) model.Import {
	f.Helper()
	must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range 2*model.DeleteBatch + 1 {
			edit := model.Edit{Org: f.org, ImportID: imp.ID, Run: imp.Run, Seq: int64(n + 1), Op: fmt.Sprint(n), Kind: "fill", Request: json.RawMessage(`{}`), Result: json.RawMessage(`{}`)}
			if err := tx.Edits.Append(f.ctx, edit); err != nil {
				return err
			}
		}
		return nil
	}))
	return imp
}

// remainingEdits returns the length of the log of the run of an import.
func (f *fixture) remainingEdits(imp model.Import) (n int) {
	f.Helper()
	must(f.T, f.Store.View(f.ctx, func(tx model.Tx) error {
		n = 0
		for _, err := range tx.Edits.ListAfter(f.ctx, f.org, imp.ID, imp.Run, 0) {
			if err != nil {
				return err
			}
			n++
		}
		return nil
	}))
	return n
}

// TestFindingScale1Edits checks that a long review log is deleted in small transactions when its
// import is deleted. If the deletion of an import under review is interrupted, the import has failed.
func TestFindingScale1Edits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ended := f.withLog(f.finishedImport(goodFile, ""))
	reviewed := f.withLog(f.wantStatus(f.finishedImport(badFile, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`), model.NeedsReview))
	for _, imp := range []*model.Import{&ended, &reviewed} {
		const batches = 2
		for n := range batches {
			f.Faults.ArmUse("Retention.DropEdits", n+1)
			if err := f.DeleteImport(f.ctx, f.org, imp.ID); !errors.Is(err, servertest.ErrInjected) {
				t.Errorf("the interrupted deletion: %v", err)
			}
			if got, want := f.remainingEdits(*imp), (batches-n)*model.DeleteBatch+1; n == 0 && got != want {
				t.Errorf("%s: %d entries remain after an interrupted deletion, want %d", imp.Status, got, want)
			}
		}
		if n := f.remainingEdits(*imp); n != model.DeleteBatch+1 {
			t.Errorf("%s: %d entries remain after the second interrupted deletion", imp.Status, n)
		}
		if imp == &reviewed {
			failed := f.wantStatus(*imp, model.Failed)
			if got := failed.Outcome.Notices[0].Text.Code; got != "import.deletion_interrupted" {
				t.Errorf("the import failed because of %s", got)
			}
		}
		f.Faults.ArmUse("Imports.Delete", 1)
		if err := f.DeleteImport(f.ctx, f.org, imp.ID); !errors.Is(err, servertest.ErrInjected) {
			t.Errorf("the interrupted deletion: %v", err)
		}
		if n := f.remainingEdits(*imp); n != 1 {
			t.Errorf("%s: %d entries remain before the last transaction, want 1", imp.Status, n)
		}
		must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
		if n := f.remainingEdits(*imp); n != 0 {
			t.Errorf("%s: %d entries remain", imp.Status, n)
		}
	}
}

// TestFindingScale1OtherEdits checks that the log of an earlier run is deleted in small transactions
// as well, while the import is under review, and that a long log is deleted so when results expire.
func TestFindingScale1OtherEdits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	short := f.wantStatus(f.finishedImport(badFile, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`), model.NeedsReview)
	earlier := short
	earlier.Run--
	f.withLog(earlier)
	f.Faults.ArmUse("Imports.Delete", 1)
	if err := f.DeleteImport(f.ctx, f.org, short.ID); !errors.Is(err, servertest.ErrInjected) {
		t.Errorf("the interrupted deletion: %v", err)
	}
	if n := f.remainingEdits(earlier); n != 1 {
		t.Errorf("%d entries of the earlier run remain before the last transaction, want 1", n)
	}
	f.wantStatus(short, model.NeedsReview)
	must(t, f.DeleteImport(f.ctx, f.org, short.ID))

	expired := f.withLog(f.finishedImport(goodFile, ""))
	must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Results: 1}}))
	f.Clock.Advance(25 * time.Hour)
	f.Faults.ArmUse("Imports.UpdateIf", 1)
	if _, err := f.Expire(f.ctx); !errors.Is(err, servertest.ErrInjected) {
		t.Errorf("the interrupted expiry: %v", err)
	}
	if n := f.remainingEdits(expired); n != 1 {
		t.Errorf("%d entries remain before the last transaction of an expiry, want 1", n)
	}
	if n, err := f.Expire(f.ctx); n != 1 || err != nil || f.remainingEdits(expired) != 0 {
		t.Errorf("expired %d parts, %v", n, err)
	}
}

// TestFindingScale1Deliveries checks that old deliveries are deleted in small transactions.
func TestFindingScale1Deliveries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const old = 2*model.DeleteBatch + 1
	must(t, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for n := range old {
			d := model.Delivery{ID: fmt.Sprint("msg_", n), Org: f.org, WebhookID: "w", Target: "w", Status: model.Delivered, Created: f.Clock.Now()}
			if err := tx.Deliveries.Insert(f.ctx, d); err != nil {
				return err
			}
		}
		return nil
	}))
	want := func(want int64) {
		t.Helper()
		page, err := model.View(f.ctx, f.Store, func(tx model.Tx) (model.Page[model.Delivery], error) {
			return tx.Deliveries.List(f.ctx, f.org, "w", model.PageRequest{})
		})
		if page.Total != want || err != nil {
			t.Errorf("%d deliveries, want %d (%v)", page.Total, want, err)
		}
	}
	must(t, f.ForgetDeliveries(f.ctx))
	want(old)
	f.Clock.Advance(31 * 24 * time.Hour)
	f.Faults.ArmUse("Outbox.DeleteBefore", 2)
	if err := f.ForgetDeliveries(f.ctx); !errors.Is(err, servertest.ErrInjected) {
		t.Errorf("the interrupted deletion: %v", err)
	}
	want(old - model.DeleteBatch)
	must(t, f.ForgetDeliveries(f.ctx))
	want(0)
}
