package sqlstore

import (
	"context"

	"github.com/intraydata/intray/server/model"
)

type orgDataRows struct{ *txn }

// orgTables are the tables whose rows orgDataRows.DeleteRows deletes, with the columns of their primary
// keys. Rows of all other tables with data of an organization are deleted with the rows to which they
// refer. A test compares the tables with the database.
var orgTables = []struct{ name, key string }{
	{"licences", "id"}, {"import_links", "id"}, {"replays", "org, call_key"}, {"memories", "org, import_identifier, place"},
	{"deliveries", "id"}, {"webhooks", "id"}, {"pulled", "connector_id, path, size, changed"}, {"connectors", "id"}, {"credentials", "id"},
	{"retention", "org, schema_id"}, {"uploads", "id"}, {"schemas", "id"}, {"receipts", "id"},
}

func (r orgDataRows) Imports(ctx context.Context, org string, limit int) ([]string, error) {
	return queryAll(ctx, r.txn, imports.entity, idCell, `SELECT id FROM imports WHERE org = $1 LIMIT $2`, org, max(limit, 0))
}

func (r orgDataRows) Sessions(ctx context.Context, org string, limit int) ([]string, error) {
	return queryAll(ctx, r.txn, sessions.entity, idCell, `SELECT id FROM sessions WHERE org = $1 LIMIT $2`, org, max(limit, 0))
}

func (r orgDataRows) DeleteRows(ctx context.Context, org string, limit int) (deleted int64, err error) {
	for _, t := range orgTables {
		n, err := r.exec(ctx, "delete "+t.name+" of an organization",
			`DELETE FROM `+t.name+` WHERE (`+t.key+`) IN (SELECT `+t.key+` FROM `+t.name+` WHERE org = $1 LIMIT $2)`, org, max(limit, 0))
		if err != nil {
			return deleted, err
		}
		deleted += n
	}
	return deleted, nil
}

func (r orgDataRows) DeleteOrg(ctx context.Context, org string) error {
	_, err := r.exec(ctx, "delete organization", `DELETE FROM orgs WHERE id = $1 AND state = $2`, org, model.OrgDeleting)
	return err
}
