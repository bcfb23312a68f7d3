package sqlstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"github.com/intraydata/intray/server/model"
)

type editRows struct{ *txn }

const editColumns = "import_id, org, run, seq, op, kind, change, request, told, layer, made"

func editCells(e *model.Edit) []any {
	return []any{&e.ImportID, &e.Org, &e.Run, &e.Seq, &e.Op, &e.Kind, &e.Change, rawJSON{&e.Request}, rawJSON{&e.Result}, nullableBytes{&e.Revision}, micros{&e.Made}}
}

func (e editRows) Append(ctx context.Context, edit model.Edit) error {
	return e.insert(ctx, "edit", "edits", editColumns, editCells(&edit)...)
}

func (e editRows) FindByOp(ctx context.Context, org, importID, op string) (model.Edit, error) {
	return queryOne(ctx, e.txn, "edit", editCells,
		`SELECT `+editColumns+` FROM edits WHERE org = $1 AND import_id = $2 AND op = $3`, org, importID, op)
}

func (e editRows) ListAfter(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[model.Edit, error] {
	return queryStream(ctx, e.txn, "edit", editCells,
		`SELECT `+editColumns+` FROM edits WHERE org = $1 AND import_id = $2 AND run = $3 AND seq > $4 ORDER BY seq`, org, importID, run, seq)
}

func (e editRows) LastSeq(ctx context.Context, org, importID string, run int) (int64, error) {
	return e.count(ctx, "edit", `SELECT COALESCE(max(seq), 0) FROM edits WHERE org = $1 AND import_id = $2 AND run = $3`, org, importID, run)
}

type memoryRows struct{ *txn }

const (
	rememberedColumns = "org, import_identifier, kind, field, remembered, text, value"
	// newest is the order of lists, and the reverse of that in which memories go.
	newest = "ORDER BY remembered DESC, kind, field, text, place"
)

func rememberedCells(r *model.LearnedMapping) []any {
	return []any{&r.Org, &r.ImportIdentifier, &r.Kind, &r.Field, micros{&r.On}, asJSON{&r.Text}, asJSON{&r.Value}}
}

// rememberedKey tells memories of one import identifier apart. Neither kinds nor keys of
// fields have a U+0000.
func rememberedKey(r model.LearnedMapping) string {
	sum := sha256.Sum256([]byte(string(r.Kind) + "\x00" + r.Field + "\x00" + r.Text))
	return hex.EncodeToString(sum[:])
}

func (m memoryRows) Upsert(ctx context.Context, r model.LearnedMapping) error {
	cells := append(rememberedCells(&r), rememberedKey(r), len(r.Field)+len(r.Text)+len(r.Value))
	_, err := m.exec(ctx, "remembering", `
		INSERT INTO memories (`+rememberedColumns+`, place, size) VALUES (`+placeholders(len(cells))+`)
		ON CONFLICT (org, import_identifier, place)
		DO UPDATE SET value = excluded.value, size = excluded.size, remembered = excluded.remembered`, cells...)
	return err
}

func (m memoryRows) List(ctx context.Context, org, identifier string, offset, limit int64) ([]model.LearnedMapping, int64, error) {
	total, err := m.count(ctx, "memory", `SELECT count(*) FROM memories WHERE org = $1 AND import_identifier = $2`, org, identifier)
	if err != nil {
		return nil, 0, err
	}
	list, err := queryAll(ctx, m.txn, "memory", rememberedCells,
		`SELECT `+rememberedColumns+` FROM memories WHERE org = $1 AND import_identifier = $2 `+newest+` LIMIT $3 OFFSET $4`,
		org, identifier, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (m memoryRows) Remove(ctx context.Context, r model.LearnedMapping) error {
	_, err := m.exec(ctx, "forgetting",
		`DELETE FROM memories WHERE org = $1 AND import_identifier = $2 AND place = $3`, r.Org, r.ImportIdentifier, rememberedKey(r))
	return err
}

func (m memoryRows) Trim(ctx context.Context, org, identifier string, most int, size int64) error {
	_, err := m.exec(ctx, "forgetting what is old", `
		DELETE FROM memories WHERE org = $1 AND import_identifier = $2 AND place IN (
			SELECT place FROM (
				SELECT place, row_number() OVER newest AS n, CAST(sum(size) OVER newest AS BIGINT) AS total
				FROM memories WHERE org = $1 AND import_identifier = $2 WINDOW newest AS (`+newest+`)) AS ranked
			WHERE n > $3 OR total > $4)`, org, identifier, most, size)
	return err
}

func (m memoryRows) Forget(ctx context.Context, org, identifier string) error {
	_, err := m.exec(ctx, "forgetting", `DELETE FROM memories WHERE org = $1 AND import_identifier = $2`, org, identifier)
	return err
}
