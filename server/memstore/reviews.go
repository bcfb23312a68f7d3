package memstore

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/intraydata/intray/server/model"
)

type editKey struct {
	importID string
	run      int
	seq      int64
}

func keyOfEdit(e model.Edit) editKey { return editKey{e.ImportID, e.Run, e.Seq} }

func editOrder(a, b model.Edit) int {
	return cmp.Or(cmp.Compare(a.ImportID, b.ImportID), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Seq, b.Seq))
}

type editRows struct{ *txn }

func (r editRows) Append(_ context.Context, e model.Edit) error {
	if _, exists := r.imports.byKey[e.ImportID]; !exists {
		return ownerMissing()
	}
	if r.edits.count(func(o model.Edit) bool { return o.ImportID == e.ImportID && o.Op == e.Op }) > 0 {
		return alreadyExists()
	}
	return r.edits.insert(r.txn, keyOfEdit(e), e)
}

func (r editRows) FindByOp(_ context.Context, org, importID, op string) (model.Edit, error) {
	for _, e := range r.edits.find(func(e model.Edit) bool { return e.Org == org && e.ImportID == importID && e.Op == op }, editOrder, 0, 1) {
		return e, nil
	}
	return model.Edit{}, notFound()
}

func (r editRows) ListAfter(_ context.Context, org, importID string, run int, seq int64) iter.Seq2[model.Edit, error] {
	return stream(r.edits.find(func(e model.Edit) bool {
		return e.Org == org && e.ImportID == importID && e.Run == run && e.Seq > seq
	}, editOrder, 0, -1))
}

func (r editRows) LastSeq(_ context.Context, org, importID string, run int) (last int64, err error) {
	for _, e := range r.edits.byKey {
		if e.Org == org && e.ImportID == importID && e.Run == run {
			last = max(last, e.Seq)
		}
	}
	return last, nil
}

// memoryKey identifies a learned mapping.
type memoryKey struct {
	org, identifier string
	kind            model.MemoryKind
	field, text     string
}

func keyOfMemory(m model.LearnedMapping) memoryKey {
	return memoryKey{m.Org, m.ImportIdentifier, m.Kind, m.Field, m.Text}
}

// newestMemory is the order of lists. Trim deletes in the reverse order.
func newestMemory(a, b model.LearnedMapping) int {
	return cmp.Or(b.On.Compare(a.On), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ImportIdentifier, b.ImportIdentifier))
}

type memoryRows struct{ *txn }

// learned returns a condition that the mappings of an import identifier meet.
func learned(org, identifier string) func(model.LearnedMapping) bool {
	return func(m model.LearnedMapping) bool { return m.Org == org && m.ImportIdentifier == identifier }
}

func (r memoryRows) Upsert(_ context.Context, m model.LearnedMapping) error {
	if err := r.checkOrg(m.Org); err != nil {
		return err
	}
	return r.memory.put(r.txn, keyOfMemory(m), m)
}

func (r memoryRows) List(_ context.Context, org, identifier string, offset, limit int64) ([]model.LearnedMapping, int64, error) {
	page, total := r.memory.page(learned(org, identifier), newestMemory, offset, limit)
	return page, total, nil
}

func (r memoryRows) Remove(_ context.Context, m model.LearnedMapping) error {
	return model.IgnoreKind(r.memory.remove(r.txn, keyOfMemory(m), anyRow), model.NotFound)
}

func (r memoryRows) Trim(_ context.Context, org, identifier string, most int, size int64) error {
	total := int64(0)
	for n, m := range r.memory.find(learned(org, identifier), newestMemory, 0, -1) {
		total += int64(len(m.Field) + len(m.Text) + len(m.Value))
		if n < most && total <= size {
			continue
		}
		if err := r.memory.remove(r.txn, keyOfMemory(m), anyRow); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes at most limit mappings that meet a condition, oldest first.
func (r memoryRows) forget(condition func(model.LearnedMapping) bool, limit int) (int64, error) {
	keys, err := r.memory.removeWhere(r.txn, condition, reversed(newestMemory), limit, keyOfMemory)
	return int64(len(keys)), err
}

func (r memoryRows) Forget(_ context.Context, org, identifier string) error {
	_, err := r.forget(learned(org, identifier), -1)
	return err
}

func (r memoryRows) ForgetImport(_ context.Context, org, importID string) error {
	_, err := r.forget(func(m model.LearnedMapping) bool { return m.Org == org && m.ImportID == importID && importID != "" }, -1)
	return err
}

func (r memoryRows) Expire(_ context.Context, org string, before time.Time, limit int) (int64, error) {
	return r.forget(func(m model.LearnedMapping) bool { return m.Org == org && m.On.Before(before) }, max(limit, 0))
}
