package storetest

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/intraydata/intray/server/model"
)

// anEdit returns an entry of the edit log of an import.
func anEdit(org, importID string, run int, seq int64) model.Edit {
	return model.Edit{
		Org: org, ImportID: importID, Run: run, Seq: seq, Op: id("op", 100*run+int(seq)), Kind: "set", Change: seq + 7,
		Request: json.RawMessage(`{"a":"ü\u0000"}`), Result: json.RawMessage(`{}`), Made: startPlus(int(seq)),
	}
}

func (f *fixture) editsAfter(org, importID string, run int, after int64) (all []model.Edit) {
	f.Helper()
	f.mustView(func(tx model.Tx) error {
		all = nil
		for e, err := range tx.Edits.ListAfter(f.ctx, org, importID, run, after) {
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
	one, other := anImport(1, "org-a", model.NeedsReview), anImport(2, "org-b", model.NeedsReview)
	first, second, again := anEdit("org-a", one.ID, 1, 1), anEdit("org-a", one.ID, 1, 2), anEdit("org-a", one.ID, 2, 1)
	second.Revision = []byte(strings.Repeat("\x00x", 5000))
	foreign := anEdit("org-b", other.ID, 1, 1)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Imports.Insert(f.ctx, one), tx.Imports.Insert(f.ctx, other),
			tx.Edits.Append(f.ctx, first), tx.Edits.Append(f.ctx, second), tx.Edits.Append(f.ctx, again), tx.Edits.Append(f.ctx, foreign))
	})
	f.wantEqual(f.editsAfter("org-a", one.ID, 1, 0), []model.Edit{first, second})
	f.wantEqual(f.editsAfter("org-a", one.ID, 1, 1), []model.Edit{second})
	f.wantEqual(f.editsAfter("org-a", one.ID, 2, 0), []model.Edit{again})
	f.wantEqual(f.editsAfter("org-b", one.ID, 1, 0), []model.Edit(nil))
	f.wantEqual(f.editsAfter("org-b", other.ID, 1, 0), []model.Edit{foreign})
	f.mustView(func(tx model.Tx) error {
		last, err := tx.Edits.LastSeq(f.ctx, "org-a", one.ID, 1)
		f.wantEqual(last, int64(2))
		none, noError := tx.Edits.LastSeq(f.ctx, "org-b", one.ID, 1)
		f.wantEqual(none, int64(0))
		found, missing := tx.Edits.FindByOp(f.ctx, "org-a", one.ID, second.Op)
		f.wantEqual(found, second)
		return firstError(err, noError, missing)
	})
	f.wantRefused(model.NotFound, func(tx model.Tx) error { _, err := tx.Edits.FindByOp(f.ctx, "org-b", one.ID, second.Op); return err })

	// Each position in the log and each id from a caller can be used only once.
	taken, used := anEdit("org-a", one.ID, 1, 2), anEdit("org-a", one.ID, 1, 3)
	taken.Op, used.Op = "another", first.Op
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Edits.Append(f.ctx, taken) })
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Edits.Append(f.ctx, used) })
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Edits.Append(f.ctx, anEdit("org-a", id("none", 1), 1, 1)) })

	f.mustUpdate(func(tx model.Tx) error {
		for _, c := range []struct {
			lastRun int
			want    []int64
		}{{0, []int64{0}}, {1, []int64{2, 0}}, {2, []int64{1, 0}}} {
			for _, want := range c.want {
				counted, err := tx.Retention.CountEdits(f.ctx, one.ID, c.lastRun, 2)
				n, failure := tx.Retention.DropEdits(f.ctx, one.ID, c.lastRun, 2)
				if err = errors.Join(err, failure); err != nil {
					return err
				}
				f.wantEqual([]int64{counted, n}, []int64{want, want})
			}
		}
		return tx.Edits.Append(f.ctx, first)
	})

	// Deleting an import deletes its log.
	f.mustUpdate(func(tx model.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", one.ID) })
	f.wantEqual(f.editsAfter("org-a", one.ID, 1, 0), []model.Edit(nil))
	f.wantEqual(f.editsAfter("org-b", other.ID, 1, 0), []model.Edit{foreign})
}

// aMemory returns a learned mapping. The greater n is, the later the mapping was learned.
func aMemory(n int, org, identifier string) model.LearnedMapping {
	return model.LearnedMapping{
		Org: org, ImportIdentifier: identifier, Kind: model.ValueMemory,
		Field: "country", Text: id("text", n), Value: "DE", On: startPlus(n),
	}
}

func (f *fixture) insertMemories(all ...model.LearnedMapping) {
	f.Helper()
	f.mustUpdate(func(tx model.Tx) error {
		for _, r := range all {
			if err := tx.Memory.Upsert(f.ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// wantMemory checks the learned mappings of an import identifier, newest first.
func (f *fixture) wantMemory(org, identifier string, want ...model.LearnedMapping) {
	f.Helper()
	f.mustView(func(tx model.Tx) error {
		list, total, err := split(tx.Memory.List(f.ctx, org, identifier, model.PageRequest{Limit: 1 << 40}))
		f.wantEqual(list, want)
		f.wantEqual(total, int64(len(want)))
		return err
	})
}

// testMemoryVersion checks that every change of the mappings of an import identifier changes its
// version, and that changes of other mappings do not.
func testMemoryVersion(f *fixture) {
	version := func(org, identifier string) int64 {
		return read(f, func(tx model.Tx) (int64, error) { return tx.Memory.Version(f.ctx, org, identifier) })
	}
	f.wantEqual(version("org-a", "crm"), int64(0))
	one, two := aMemory(1, "org-a", "crm"), aMemory(2, "org-a", "crm")
	two.ImportID, two.On = id("import", 2), startPlus(2)
	seen := map[int64]bool{0: true}
	for name, change := range []func(tx model.Tx) error{
		func(tx model.Tx) error { return firstError(tx.Memory.Upsert(f.ctx, one), tx.Memory.Upsert(f.ctx, two)) },
		func(tx model.Tx) error { return tx.Memory.Upsert(f.ctx, one) },
		func(tx model.Tx) error { return tx.Memory.ForgetImport(f.ctx, "org-a", two.ImportID) },
		func(tx model.Tx) error { return tx.Memory.Upsert(f.ctx, two) },
		func(tx model.Tx) error { return tx.Memory.Trim(f.ctx, "org-a", "crm", 1, 1<<20) },
		func(tx model.Tx) error { return tx.Memory.Upsert(f.ctx, one) },
		func(tx model.Tx) error { return tx.Memory.Remove(f.ctx, one) },
		func(tx model.Tx) error { return onlyError(tx.Memory.Expire(f.ctx, "org-a", startPlus(3), 9)) },
		func(tx model.Tx) error { return tx.Memory.Upsert(f.ctx, one) },
		func(tx model.Tx) error { return tx.Memory.Forget(f.ctx, "org-a", "crm") },
	} {
		f.mustUpdate(change)
		now := version("org-a", "crm")
		if seen[now] {
			f.Errorf("after change %d, the version is again %d", name, now)
		}
		seen[now] = true
		f.insertMemories(aMemory(name, "org-b", "crm"), aMemory(name, "org-a", "other"))
		f.wantEqual(version("org-a", "crm"), now)
	}
	column := aMemory(9, "org-a", "crm")
	column.Kind = model.ColumnMemory
	f.insertMemories(column, one)
	f.wantEqual(read(f, func(tx model.Tx) ([]model.LearnedMapping, error) { return tx.Memory.Columns(f.ctx, "org-a", "crm") }), []model.LearnedMapping{column})
}

func testMemory(f *fixture) {
	odd := strings.Repeat("ü\x00\"<\\", 200)
	column := model.LearnedMapping{Org: "org-a", ImportIdentifier: "crm", Kind: model.ColumnMemory, Field: "country", Text: odd, On: startPlus(9)}
	value := aMemory(5, "org-a", "crm")
	value.Text, value.Value = odd, odd
	other, foreign := aMemory(1, "org-a", strings.Repeat("x", 1024)), aMemory(1, "org-b", "crm")
	f.insertMemories(aMemory(1, "org-a", "crm"), value, column, other, foreign)
	f.wantMemory("org-a", "crm", column, value, aMemory(1, "org-a", "crm"))
	f.wantMemory("org-a", other.ImportIdentifier, other)
	f.wantMemory("org-a", "unknown")

	value.Value, value.On, value.ImportID = "", startPlus(20), id("import", 1)
	f.insertMemories(value)
	f.wantMemory("org-a", "crm", value, column, aMemory(1, "org-a", "crm"))
	f.mustView(func(tx model.Tx) error {
		list, total, err := split(tx.Memory.List(f.ctx, "org-a", "crm", model.PageRequest{Offset: 1, Limit: 1}))
		f.wantEqual(list, []model.LearnedMapping{column})
		f.wantEqual(total, int64(3))
		return err
	})

	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Memory.Remove(f.ctx, column), tx.Memory.Remove(f.ctx, column))
	})
	f.wantMemory("org-a", "crm", value, aMemory(1, "org-a", "crm"))
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Memory.ForgetImport(f.ctx, "org-b", value.ImportID), tx.Memory.ForgetImport(f.ctx, "org-a", ""))
	})
	f.wantMemory("org-a", "crm", value, aMemory(1, "org-a", "crm"))
	f.mustUpdate(func(tx model.Tx) error { return tx.Memory.ForgetImport(f.ctx, "org-a", value.ImportID) })
	f.wantMemory("org-a", "crm", aMemory(1, "org-a", "crm"))
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Memory.Forget(f.ctx, "org-a", "crm"), tx.Memory.Forget(f.ctx, "org-a", "crm"))
	})
	f.wantMemory("org-a", "crm")
	f.wantMemory("org-a", other.ImportIdentifier, other)
	f.wantMemory("org-b", "crm", foreign)
	f.wantRefused(model.NotFound, func(tx model.Tx) error { return tx.Memory.Upsert(f.ctx, aMemory(1, "org-c", "crm")) })
}

func testMemoryExpired(f *fixture) {
	other, foreign := aMemory(3, "org-a", "erp"), aMemory(1, "org-b", "crm")
	f.insertMemories(aMemory(4, "org-a", "crm"), aMemory(2, "org-a", "crm"), aMemory(1, "org-a", "crm"), other, foreign)
	expire := func(limit int, want int64) {
		f.mustUpdate(func(tx model.Tx) error {
			n, err := tx.Memory.Expire(f.ctx, "org-a", startPlus(4), limit)
			f.wantEqual(n, want)
			return err
		})
	}
	expire(1, 1)
	f.wantMemory("org-a", "crm", aMemory(4, "org-a", "crm"), aMemory(2, "org-a", "crm"))
	expire(5, 2)
	expire(5, 0)
	f.wantMemory("org-a", "crm", aMemory(4, "org-a", "crm"))
	f.wantMemory("org-a", "erp")
	f.wantMemory("org-b", "crm", foreign)
}

func testMemoryTrimmed(f *fixture) {
	var all []model.LearnedMapping // newest first
	for n := range 6 {
		all = append([]model.LearnedMapping{aMemory(n, "org-a", "crm")}, all...)
	}
	others := []model.LearnedMapping{aMemory(0, "org-a", "erp"), aMemory(0, "org-b", "crm")}
	f.insertMemories(append(all, others...)...)
	size := int64(len("country") + len(all[0].Text) + len("DE"))
	for _, c := range []struct {
		most int
		size int64
		left int
	}{{6, 6 * size, 6}, {5, 6 * size, 5}, {5, 5*size - 1, 4}, {3, 1 << 40, 3}, {3, size, 1}, {1, size - 1, 0}, {1, 1, 0}} {
		f.mustUpdate(func(tx model.Tx) error { return tx.Memory.Trim(f.ctx, "org-a", "crm", c.most, c.size) })
		f.wantMemory("org-a", "crm", append([]model.LearnedMapping(nil), all[:c.left]...)...)
	}
	f.wantMemory("org-a", "erp", others[0])
	f.wantMemory("org-b", "crm", others[1])
}
