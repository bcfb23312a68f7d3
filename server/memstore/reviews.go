package memstore

import (
	"cmp"
	"context"
	"encoding/hex"
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
	return cmp.Or(r.memory.put(r.txn, keyOfMemory(m), m), r.bump(m.Org, m.ImportIdentifier))
}

// memoryList encodes the text of a mapping for its cursors, because it may contain U+0000.
var memoryList = listing[model.LearnedMapping]{
	order: func(a, b model.LearnedMapping) int {
		b.ImportIdentifier = a.ImportIdentifier // all rows of the list have the same, but cursors do not contain it
		return newestMemory(a, b)
	},
	position: func(m model.LearnedMapping) []any {
		return []any{m.On.UnixMicro(), string(m.Kind), m.Field, hex.EncodeToString([]byte(m.Text))}
	},
	at: func(p []any) model.LearnedMapping {
		text, _ := hex.DecodeString(p[3].(string))
		return model.LearnedMapping{On: fromMicros(p[0]), Kind: model.MemoryKind(p[1].(string)), Field: p[2].(string), Text: string(text)}
	},
}

func (r memoryRows) List(_ context.Context, org, identifier string, page model.PageRequest) (model.Page[model.LearnedMapping], error) {
	return pageOf(&r.memory, learned(org, identifier), memoryList, page)
}

func (r memoryRows) Columns(_ context.Context, org, identifier string) ([]model.LearnedMapping, error) {
	of := learned(org, identifier)
	return r.memory.find(func(m model.LearnedMapping) bool { return of(m) && m.Kind == model.ColumnMemory }, newestMemory, 0, -1), nil
}

func (r memoryRows) Version(_ context.Context, org, identifier string) (int64, error) {
	return r.memoryVersions.byKey[[2]string{org, identifier}], nil
}

// bump changes the version of the mappings of an import identifier.
func (r memoryRows) bump(org, identifier string) error {
	key := [2]string{org, identifier}
	return r.memoryVersions.put(r.txn, key, r.memoryVersions.byKey[key]+1)
}

func (r memoryRows) Remove(_ context.Context, m model.LearnedMapping) error {
	return cmp.Or(model.IgnoreKind(r.memory.remove(r.txn, keyOfMemory(m), anyRow), model.NotFound), r.bump(m.Org, m.ImportIdentifier))
}

func (r memoryRows) Trim(_ context.Context, org, identifier string, most int, size int64) error {
	total := int64(0)
	for n, m := range r.memory.find(learned(org, identifier), newestMemory, 0, -1) {
		total += int64(len(m.Field) + len(m.Text) + len(m.Value))
		if n < most && total <= size {
			continue
		}
		if err := cmp.Or(r.memory.remove(r.txn, keyOfMemory(m), anyRow), r.bump(org, identifier)); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes at most limit mappings that meet a condition, oldest first.
func (r memoryRows) forget(condition func(model.LearnedMapping) bool, limit int) (int64, error) {
	keys, err := r.memory.removeWhere(r.txn, condition, reversed(newestMemory), limit, keyOfMemory)
	for _, key := range keys {
		err = cmp.Or(err, r.bump(key.org, key.identifier))
	}
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
