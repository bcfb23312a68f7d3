package storetest

import (
	"encoding/json"
	"strings"

	"github.com/intraydata/intray/internal/service"
)

// anEdit is an entry of a log.
func anEdit(org, importID string, run int, seq int64) service.Edit {
	return service.Edit{
		Org: org, ImportID: importID, Run: run, Seq: seq, Op: id("op", 100*run+int(seq)), Kind: "set", Change: seq + 7,
		Request: json.RawMessage(`{"a":"ü\u0000"}`), Told: json.RawMessage(`{}`), Made: after(int(seq)),
	}
}

func (f *fixture) edits(org, importID string, run int, after int64) (all []service.Edit) {
	f.Helper()
	f.view(func(tx service.Tx) error {
		all = nil
		for e, err := range tx.Edits.After(f.ctx, org, importID, run, after) {
			if err != nil {
				return err
			}
			all = append(all, e)
		}
		return nil
	})
	return all
}

func testEdits(f *fixture) {
	one, other := anImport(1, "org-a", service.NeedsReview), anImport(2, "org-b", service.NeedsReview)
	first, second, again := anEdit("org-a", one.ID, 1, 1), anEdit("org-a", one.ID, 1, 2), anEdit("org-a", one.ID, 2, 1)
	second.Layer = []byte(strings.Repeat("\x00x", 5000))
	foreign := anEdit("org-b", other.ID, 1, 1)
	f.update(func(tx service.Tx) error {
		return firstError(tx.Imports.Insert(f.ctx, one), tx.Imports.Insert(f.ctx, other),
			tx.Edits.Append(f.ctx, first), tx.Edits.Append(f.ctx, second), tx.Edits.Append(f.ctx, again), tx.Edits.Append(f.ctx, foreign))
	})
	f.same(f.edits("org-a", one.ID, 1, 0), []service.Edit{first, second})
	f.same(f.edits("org-a", one.ID, 1, 1), []service.Edit{second})
	f.same(f.edits("org-a", one.ID, 2, 0), []service.Edit{again})
	f.same(f.edits("org-b", one.ID, 1, 0), []service.Edit(nil))
	f.same(f.edits("org-b", other.ID, 1, 0), []service.Edit{foreign})
	f.view(func(tx service.Tx) error {
		last, err := tx.Edits.Last(f.ctx, "org-a", one.ID, 1)
		f.same(last, int64(2))
		none, noError := tx.Edits.Last(f.ctx, "org-b", one.ID, 1)
		f.same(none, int64(0))
		found, missing := tx.Edits.ByOp(f.ctx, "org-a", one.ID, second.Op)
		f.same(found, second)
		return firstError(err, noError, missing)
	})
	f.refused(service.NotFound, func(tx service.Tx) error { _, err := tx.Edits.ByOp(f.ctx, "org-b", one.ID, second.Op); return err })

	// A place in the log is taken once, and so is an id of a caller.
	taken, used := anEdit("org-a", one.ID, 1, 2), anEdit("org-a", one.ID, 1, 3)
	taken.Op, used.Op = "another", first.Op
	f.refused(service.Conflict, func(tx service.Tx) error { return tx.Edits.Append(f.ctx, taken) })
	f.refused(service.Conflict, func(tx service.Tx) error { return tx.Edits.Append(f.ctx, used) })
	f.refused(service.NotFound, func(tx service.Tx) error { return tx.Edits.Append(f.ctx, anEdit("org-a", id("none", 1), 1, 1)) })

	// The log goes with its import.
	f.update(func(tx service.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", one.ID) })
	f.same(f.edits("org-a", one.ID, 1, 0), []service.Edit(nil))
	f.same(f.edits("org-b", other.ID, 1, 0), []service.Edit{foreign})
}
