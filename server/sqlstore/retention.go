package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type retentionRows struct{ *txn }

var retentions = newTable("retention", "retention policy", 6, func(to *columns, r *model.Retention) {
	to.add("org", &r.Org, "schema_id", &r.SchemaID, "originals", &r.Originals, "results", &r.Results, "problems", &r.Problems, "learned", &r.Learned)
})

func (r retentionRows) ListByOrg(ctx context.Context, org string) ([]model.Retention, error) {
	return retentions.all(ctx, r.txn, ` WHERE org = $1 ORDER BY schema_id`, org)
}

func (r retentionRows) ListAll(ctx context.Context) ([]model.Retention, error) {
	return retentions.all(ctx, r.txn, ` ORDER BY org, schema_id`)
}

func (r retentionRows) Replace(ctx context.Context, org string, list []model.Retention) error {
	if _, err := r.exec(ctx, "change retention policy", `DELETE FROM retention WHERE org = $1`, org); err != nil {
		return err
	}
	for _, one := range list {
		one.Org = org
		if err := retentions.insert(ctx, r.txn, one); err != nil {
			return err
		}
	}
	return nil
}

// hasPart maps each part to an SQL condition that is true if an import still has that part. Each
// part has a partial index with this condition and isEnded.
var hasPart = map[model.KeptPart]string{
	model.Originals: `raw_key <> ''`,
	model.Results:   `(result_key <> '' OR stage <> '')`,
	model.Problems:  `problems_kept`,
}

// isEnded is an SQL condition that is true if an import has ended.
const isEnded = `status IN ('SUCCESSFUL', 'FAILED')`

func overdueQuery(of model.Retention, part model.KeptPart) string {
	schema := `schema_id = $2`
	if of.SchemaID == "" { // the default policy, for schemas without a policy
		schema = `schema_id NOT IN (SELECT schema_id FROM retention WHERE org = $1 AND schema_id <> $2)`
	}
	return `SELECT id FROM imports WHERE org = $1 AND ` + schema + ` AND ` + isEnded + ` AND modified < $3 AND ` + hasPart[part] + ` ORDER BY modified LIMIT $4`
}

func (r retentionRows) Overdue(ctx context.Context, of model.Retention, part model.KeptPart, before time.Time, limit int) ([]string, error) {
	return queryAll(ctx, r.txn, imports.entity, idCell, overdueQuery(of, part), of.Org, of.SchemaID, toMicros(before), max(limit, 0))
}

func (r retentionRows) DropProblems(ctx context.Context, org, importID string) error {
	return r.execOne(ctx, imports.entity, `UPDATE imports SET problems_kept = FALSE`+byID+` AND problems_kept`, org, importID)
}

func (r retentionRows) CountEdits(ctx context.Context, importID string, lastRun, limit int) (int64, error) {
	return r.count(ctx, edits.entity, `SELECT count(*) FROM (SELECT 1 FROM edits WHERE import_id = $1 AND run <= $2 LIMIT $3) AS counted`, importID, lastRun, max(limit, 0))
}

func (r retentionRows) DropEdits(ctx context.Context, importID string, lastRun, limit int) (int64, error) {
	return r.exec(ctx, "delete edits", `
		DELETE FROM edits WHERE import_id = $1 AND (run, seq) IN (SELECT run, seq FROM edits WHERE import_id = $1 AND run <= $2 LIMIT $3)`, importID, lastRun, max(limit, 0))
}

type deletionRows struct{ *txn }

var receipts = newTable("receipts", "receipt", 6, func(to *columns, d *model.Deletion) {
	to.add("id", &d.ID, "org", &d.Org, "import_id", &d.ImportID, "made", micros{&d.Made}, "reason", &d.Reason, "parts", asJSON{&d.Parts})
})

func (r deletionRows) Insert(ctx context.Context, d model.Deletion) error {
	return receipts.insert(ctx, r.txn, d)
}

var receiptList = listing[model.Deletion]{
	table: receipts,
	query: listQuery{
		where: ` WHERE org = $1`, order: []string{"made", "id"},
		count: `SELECT receipts FROM org_usage WHERE org = $1`,
	},
	position: func(d model.Deletion) []any { return []any{toMicros(d.Made), d.ID} },
}

func (r deletionRows) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Deletion], error) {
	return receiptList.page(ctx, r.txn, page, org)
}

// ownerRows reads the imports and sessions that own blobs.
type ownerRows struct{ *txn }

func (r ownerRows) Run(ctx context.Context, importID string) (int, error) {
	n, err := r.count(ctx, imports.entity, `SELECT COALESCE(max(run), -1) FROM imports WHERE id = $1`, importID)
	return int(n), err
}

func (r ownerRows) Session(ctx context.Context, id string) (bool, error) {
	n, err := r.count(ctx, sessions.entity, `SELECT count(*) FROM sessions WHERE id = $1`, id)
	return n > 0, err
}

type trashRows struct{ *txn }

var trash = newTable("trash", "trash", 2, func(to *columns, t *model.Trash) {
	to.add("prefix", &t.Prefix, "due", micros{&t.Due})
})

func (r trashRows) Schedule(ctx context.Context, t model.Trash) error {
	_, err := r.exec(ctx, "insert trash", `
		INSERT INTO trash (prefix, due) VALUES ($1, $2) ON CONFLICT (prefix)
		DO UPDATE SET due = CASE WHEN excluded.due > trash.due THEN excluded.due ELSE trash.due END`, trash.cells(&t)...)
	return err
}

func (r trashRows) ListDue(ctx context.Context, now time.Time, limit int) ([]model.Trash, error) {
	return trash.all(ctx, r.txn, ` WHERE due <= $1 ORDER BY due, prefix LIMIT $2`, toMicros(now), max(limit, 0))
}

// Remove deletes an entry. It returns no error if the entry is missing.
func (r trashRows) Remove(ctx context.Context, prefix string) error {
	_, err := r.exec(ctx, "delete trash", `DELETE FROM trash WHERE prefix = $1`, prefix)
	return err
}
