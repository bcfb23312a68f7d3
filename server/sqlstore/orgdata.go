package sqlstore

import (
	"context"

	"github.com/intraydata/intray/server/model"
)

type orgDataRows struct{ *txn }

// orgTable is a table whose rows belong to organizations.
type orgTable struct {
	// key are the columns of the primary key.
	name, key string
	// condition is a further condition that rows must meet to be deleted.
	condition string
}

// orgTables are the tables whose rows orgDataRows.DeleteRows deletes. Rows of all other tables with data
// of an organization are deleted with the rows to which they refer. A test compares the tables with the
// database.
var orgTables = []orgTable{
	{name: "licences", key: "id"},
	{name: "import_links", key: "id"},
	{name: "replays", key: "org, call_key"},
	{name: "memories", key: "org, import_identifier, place"},
	{name: "deliveries", key: "id"},
	{name: "webhooks", key: "id"},
	{name: "pulled", key: "connector_id, path, size, changed"},
	// The database deletes the rest of its pulled files with a connector, without a limit.
	{name: "connectors", key: "id", condition: " AND NOT EXISTS (SELECT 1 FROM pulled WHERE connector_id = connectors.id)"},
	{name: "credentials", key: "id"},
	{name: "retention", key: "org, schema_id"},
	{name: "uploads", key: "id"},
	{name: "schemas", key: "id"},
	{name: "receipts", key: "id"},
}

func (r orgDataRows) Imports(ctx context.Context, org string, limit int) ([]string, error) {
	return queryAll(ctx, r.txn, imports.entity, idCell, `SELECT id FROM imports WHERE org = $1 LIMIT $2`, org, max(limit, 0))
}

func (r orgDataRows) Sessions(ctx context.Context, org string, limit int) ([]string, error) {
	return queryAll(ctx, r.txn, sessions.entity, idCell, `SELECT id FROM sessions WHERE org = $1 LIMIT $2`, org, max(limit, 0))
}

func (r orgDataRows) DeleteRows(ctx context.Context, org string, limit int) (deleted int64, err error) {
	deleting, err := r.count(ctx, orgs.entity, `SELECT count(*) FROM orgs WHERE id = $1 AND state = $2`, org, model.OrgDeleting)
	if err != nil || deleting == 0 {
		return 0, err
	}
	for _, t := range orgTables {
		n, err := r.exec(ctx, "delete "+t.name+" of an organization",
			`DELETE FROM `+t.name+` WHERE (`+t.key+`) IN (SELECT `+t.key+` FROM `+t.name+` WHERE org = $1`+t.condition+` LIMIT $2)`, org, max(limit, 0))
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
