package sqlstore

import (
	"context"

	"github.com/intraydata/intray/server/model"
)

// usageRows reads the table org_usage, which triggers maintain.
type usageRows struct{ *txn }

var usages = newTable("org_usage", "usage", 1, func(to *columns, u *model.Usage) {
	to.add("org", &u.Org, "awaiting_upload", &u.AwaitingUpload, "in_progress", &u.InProgress, "needs_review", &u.NeedsReview,
		"successful", &u.Successful, "failed", &u.Failed, "file_bytes", &u.FileBytes, "schemas", &u.Schemas, "sessions", &u.Sessions,
		"session_file_bytes", &u.SessionFileBytes, "session_state_bytes", &u.SessionStateBytes, "credentials", &u.Credentials)
})

func (r usageRows) Get(ctx context.Context, org string) (model.Usage, error) {
	return usages.one(ctx, r.txn, ` WHERE org = $1`+r.forUpdate, org)
}

func (r usageRows) List(ctx context.Context) ([]model.Usage, error) {
	return usages.all(ctx, r.txn, ` ORDER BY org`)
}

func (r usageRows) Backlog(ctx context.Context) (model.Backlog, error) {
	cells := func(b *model.Backlog) []any {
		return []any{
			&b.Pending, micros{&b.Oldest}, &b.Running, micros{&b.AwaitingSince}, micros{&b.RunningSince}, micros{&b.ReviewSince},
			&b.Deliveries, micros{&b.DeliveriesSince}, &b.FailingWebhooks, &b.FailingConnectors, &b.FailingUploads,
		}
	}
	return queryOne(ctx, r.txn, "backlog", cells, selectBacklog)
}

// selectBacklog reads only indexes, and in each of them only rows that wait or fail. For the oldest
// row, it reads one entry of an index.
const selectBacklog = `
	SELECT count(*), COALESCE(min(queued), 0),
		(SELECT count(*) FROM imports WHERE status = 'RUNNING'),
		(SELECT COALESCE(min(created), 0) FROM imports WHERE status = 'AWAITING_UPLOAD'),
		(SELECT COALESCE(min(modified), 0) FROM imports WHERE status = 'RUNNING'),
		(SELECT COALESCE(min(created), 0) FROM imports WHERE status = 'NEEDS_REVIEW'),
		(SELECT count(*) FROM deliveries WHERE status = 'WAITING' AND node = ''),
		(SELECT COALESCE(min(created), 0) FROM deliveries WHERE status = 'WAITING'),
		(SELECT count(*) FROM webhooks WHERE enabled AND failures > 0),
		(SELECT count(*) FROM connectors WHERE failures > 0),
		(SELECT count(*) FROM pulled WHERE put_kind <> '')
	FROM imports WHERE status = 'PENDING'`

// countedBy maps each status of an import to the column of org_usage that counts it.
var countedBy = map[model.Status]string{
	model.AwaitingUpload: "awaiting_upload", model.Pending: "in_progress", model.Running: "in_progress",
	model.NeedsReview: "needs_review", model.Successful: "successful", model.Failed: "failed",
}

// countInsertedQuery returns the query that adds an inserted import in the given status, with $1 bytes of
// files, to the usage of its organization $2. $3 is 1 if the import is listed, and 0 otherwise.
func countInsertedQuery(status model.Status) string {
	change := "file_bytes = file_bytes + $1, listed_imports = listed_imports + $3"
	if column := countedBy[status]; column != "" {
		change += ", " + column + " = " + column + " + 1"
	}
	return `UPDATE org_usage SET ` + change + ` WHERE org = $2`
}

// countInserted adds an inserted import to the usage of its organization.
func (t *txn) countInserted(ctx context.Context, imp model.Import) error {
	bytes := int64(0)
	for _, file := range []model.File{imp.Raw, imp.Result} {
		if file.Key != "" {
			bytes += file.Size
		}
	}
	listed := 0
	if imp.Sync == "" {
		listed = 1
	}
	_, err := t.exec(ctx, "count import", countInsertedQuery(imp.Status), bytes, imp.Org, listed)
	return err
}
