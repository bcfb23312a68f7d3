package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"github.com/intraydata/intray/server/model"
)

type editRows struct{ *txn }

var edits = newTable("edits", "edit", 11, func(to *columns, e *model.Edit) {
	to.add("import_id", &e.ImportID, "org", &e.Org, "run", &e.Run, "seq", &e.Seq, "op", &e.Op, "kind", &e.Kind, "change", &e.Change,
		"request", rawJSON{&e.Request}, "told", rawJSON{&e.Result}, "layer", nullableBytes{&e.Revision}, "made", micros{&e.Made})
})

func (r editRows) Append(ctx context.Context, edit model.Edit) error {
	return edits.insert(ctx, r.txn, edit)
}

func (r editRows) FindByOp(ctx context.Context, org, importID, op string) (model.Edit, error) {
	return edits.one(ctx, r.txn, ` WHERE org = $1 AND import_id = $2 AND op = $3`, org, importID, op)
}

func (r editRows) ListAfter(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[model.Edit, error] {
	return edits.stream(ctx, r.txn, ` WHERE org = $1 AND import_id = $2 AND run = $3 AND seq > $4 ORDER BY seq`, org, importID, run, seq)
}

func (r editRows) LastSeq(ctx context.Context, org, importID string, run int) (int64, error) {
	return r.count(ctx, edits.entity, `SELECT COALESCE(max(seq), 0) FROM edits WHERE org = $1 AND import_id = $2 AND run = $3`, org, importID, run)
}

type memoryRows struct{ *txn }

// The table has two more columns: place, which contains the learnedKey, and size.
var memories = newTable("memories", "learned mapping", 7, func(to *columns, m *model.LearnedMapping) {
	to.add("org", &m.Org, "import_identifier", &m.ImportIdentifier, "kind", &m.Kind, "field", &m.Field,
		"remembered", micros{&m.On}, "text", asJSON{&m.Text}, "value", asJSON{&m.Value})
})

// newestMemory is the order of lists. Trim deletes in the reverse order.
const newestMemory = "remembered DESC, kind, field, text, place"

const byIdentifier = ` WHERE org = $1 AND import_identifier = $2`

// learnedKey returns a string that identifies a mapping among all mappings of an
// import identifier. Its parts are unambiguous, because neither kinds nor field
// keys contain U+0000.
func learnedKey(m model.LearnedMapping) string {
	sum := sha256.Sum256([]byte(string(m.Kind) + "\x00" + m.Field + "\x00" + m.Text))
	return hex.EncodeToString(sum[:])
}

func (r memoryRows) Upsert(ctx context.Context, m model.LearnedMapping) error {
	cells := append(memories.cells(&m), learnedKey(m), len(m.Field)+len(m.Text)+len(m.Value))
	_, err := r.exec(ctx, "save learned mapping", `
		INSERT INTO memories (`+memories.list+`, place, size) VALUES (`+placeholders(len(cells))+`)
		ON CONFLICT (org, import_identifier, place)
		DO UPDATE SET value = excluded.value, size = excluded.size, remembered = excluded.remembered`, cells...)
	return err
}

func (r memoryRows) List(ctx context.Context, org, identifier string, offset, limit int64) ([]model.LearnedMapping, int64, error) {
	return memories.page(ctx, r.txn, byIdentifier, newestMemory, offset, limit, org, identifier)
}

func (r memoryRows) Remove(ctx context.Context, m model.LearnedMapping) error {
	_, err := r.exec(ctx, "delete learned mapping", `DELETE FROM memories`+byIdentifier+` AND place = $3`, m.Org, m.ImportIdentifier, learnedKey(m))
	return err
}

func (r memoryRows) Trim(ctx context.Context, org, identifier string, most int, size int64) error {
	_, err := r.exec(ctx, "delete old learned mappings", `
		DELETE FROM memories`+byIdentifier+` AND place IN (
			SELECT place FROM (
				SELECT place, row_number() OVER newest AS n, CAST(sum(size) OVER newest AS BIGINT) AS total
				FROM memories`+byIdentifier+` WINDOW newest AS (ORDER BY `+newestMemory+`)) AS ranked
			WHERE n > $3 OR total > $4)`, org, identifier, most, size)
	return err
}

func (r memoryRows) Forget(ctx context.Context, org, identifier string) error {
	_, err := r.exec(ctx, "delete learned mappings", `DELETE FROM memories`+byIdentifier, org, identifier)
	return err
}
