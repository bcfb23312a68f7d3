package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type retentionRows struct{ *txn }

const retentionColumns = "org, schema_id, originals, results, problems"

func retentionCells(r *model.Retention) []any {
	return []any{&r.Org, &r.SchemaID, &r.Originals, &r.Results, &r.Problems}
}

func (r retentionRows) ListByOrg(ctx context.Context, org string) ([]model.Retention, error) {
	return queryAll(ctx, r.txn, "retention", retentionCells, `SELECT `+retentionColumns+` FROM retention WHERE org = $1 ORDER BY schema_id`, org)
}

func (r retentionRows) ListAll(ctx context.Context) ([]model.Retention, error) {
	return queryAll(ctx, r.txn, "retention", retentionCells, `SELECT `+retentionColumns+` FROM retention ORDER BY org, schema_id`)
}

func (r retentionRows) Replace(ctx context.Context, org string, list []model.Retention) error {
	if _, err := r.exec(ctx, "changing a retention", `DELETE FROM retention WHERE org = $1`, org); err != nil {
		return err
	}
	for _, one := range list {
		one.Org = org
		if err := r.insert(ctx, "retention", "retention", retentionColumns, retentionCells(&one)...); err != nil {
			return err
		}
	}
	return nil
}

// overdue says which imports still have a part, by the part.
var overdue = map[model.KeptPart]string{
	model.Originals: `raw_key <> ''`,
	model.Results:   `(result_key <> '' OR stage <> '')`,
	model.Problems:  `problems_kept`,
}

func (r retentionRows) Overdue(ctx context.Context, of model.Retention, part model.KeptPart, before time.Time, limit int) ([]string, error) {
	schema := `schema_id = $2`
	if of.SchemaID == "" { // all but those with a rule of their own
		schema = `schema_id NOT IN (SELECT schema_id FROM retention WHERE org = $1 AND schema_id <> $2)`
	}
	return queryAll(ctx, r.txn, "import", func(id *string) []any { return []any{id} },
		`SELECT id FROM imports WHERE org = $1 AND `+schema+` AND status IN ('SUCCESSFUL', 'FAILED') AND modified < $3 AND `+overdue[part]+` ORDER BY modified LIMIT $4`,
		of.Org, of.SchemaID, toMicros(before), max(limit, 0))
}

func (r retentionRows) DropProblems(ctx context.Context, org, importID string) error {
	return r.execOne(ctx, "import", `UPDATE imports SET problems_kept = FALSE WHERE org = $1 AND id = $2`, org, importID)
}

func (r retentionRows) DropEdits(ctx context.Context, importID string) error {
	_, err := r.exec(ctx, "removing edits", `DELETE FROM edits WHERE import_id = $1`, importID)
	return err
}

type deletionRows struct{ *txn }

const receiptColumns = "id, org, import_id, made, reason, parts"

func receiptCells(r *model.Deletion) []any {
	return []any{&r.ID, &r.Org, &r.ImportID, micros{&r.Made}, &r.Reason, asJSON{&r.Parts}}
}

func (r deletionRows) Insert(ctx context.Context, one model.Deletion) error {
	return r.insert(ctx, "receipt", "receipts", receiptColumns, receiptCells(&one)...)
}

func (r deletionRows) List(ctx context.Context, org string, offset, limit int64) ([]model.Deletion, int64, error) {
	total, err := r.count(ctx, "receipt", `SELECT count(*) FROM receipts WHERE org = $1`, org)
	if err != nil {
		return nil, 0, err
	}
	list, err := queryAll(ctx, r.txn, "receipt", receiptCells,
		`SELECT `+receiptColumns+` FROM receipts WHERE org = $1 ORDER BY made DESC, id DESC LIMIT $2 OFFSET $3`, org, max(limit, 0), max(offset, 0))
	return list, total, err
}

// ownerRows are what blobs belong to.
type ownerRows struct{ *txn }

func (r ownerRows) Run(ctx context.Context, importID string) (int, error) {
	n, err := r.count(ctx, "import", `SELECT COALESCE(max(run), -1) FROM imports WHERE id = $1`, importID)
	return int(n), err
}

func (r ownerRows) Session(ctx context.Context, id string) (bool, error) {
	n, err := r.count(ctx, "session", `SELECT count(*) FROM sessions WHERE id = $1`, id)
	return n > 0, err
}

type trashRows struct{ *txn }

func trashCells(t *model.Trash) []any { return []any{&t.Prefix, micros{&t.Due}} }

func (r trashRows) Schedule(ctx context.Context, t model.Trash) error {
	_, err := r.exec(ctx, "adding trash", `
		INSERT INTO trash (prefix, due) VALUES ($1, $2) ON CONFLICT (prefix)
		DO UPDATE SET due = CASE WHEN excluded.due > trash.due THEN excluded.due ELSE trash.due END`,
		trashCells(&t)...)
	return err
}

func (r trashRows) ListDue(ctx context.Context, now time.Time, limit int) ([]model.Trash, error) {
	return queryAll(ctx, r.txn, "trash", trashCells,
		`SELECT prefix, due FROM trash WHERE due <= $1 ORDER BY due, prefix LIMIT $2`, toMicros(now), max(limit, 0))
}

// Remove removes what is there; what is not is gone already.
func (r trashRows) Remove(ctx context.Context, prefix string) error {
	_, err := r.exec(ctx, "removing trash", `DELETE FROM trash WHERE prefix = $1`, prefix)
	return err
}
