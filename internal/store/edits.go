package store

import (
	"context"
	"iter"

	"github.com/intraydata/intray/internal/service"
)

type edits struct{ *txn }

const editColumns = "import_id, org, run, seq, op, kind, change, request, told, layer, made"

func editCells(e *service.Edit) []any {
	return []any{&e.ImportID, &e.Org, &e.Run, &e.Seq, &e.Op, &e.Kind, &e.Change, rawJSON{&e.Request}, rawJSON{&e.Told}, optional{&e.Layer}, micros{&e.Made}}
}

func (e edits) Append(ctx context.Context, edit service.Edit) error {
	return e.insert(ctx, "edit", "edits", editColumns, editCells(&edit)...)
}

func (e edits) ByOp(ctx context.Context, org, importID, op string) (service.Edit, error) {
	return one(ctx, e.txn, "edit", editCells,
		`SELECT `+editColumns+` FROM edits WHERE org = $1 AND import_id = $2 AND op = $3`, org, importID, op)
}

func (e edits) After(ctx context.Context, org, importID string, run int, seq int64) iter.Seq2[service.Edit, error] {
	return stream(ctx, e.txn, "edit", editCells,
		`SELECT `+editColumns+` FROM edits WHERE org = $1 AND import_id = $2 AND run = $3 AND seq > $4 ORDER BY seq`, org, importID, run, seq)
}

func (e edits) Last(ctx context.Context, org, importID string, run int) (int64, error) {
	return e.count(ctx, "edit", `SELECT COALESCE(max(seq), 0) FROM edits WHERE org = $1 AND import_id = $2 AND run = $3`, org, importID, run)
}
