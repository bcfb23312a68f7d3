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
	// Each of these queries reads only an index on the rows that wait.
	cells := func(b *model.Backlog) []any { return []any{&b.Pending, micros{&b.Oldest}, &b.Running, &b.Deliveries} }
	return queryOne(ctx, r.txn, "backlog", cells, `
		SELECT count(*), COALESCE(min(queued), 0), (SELECT count(*) FROM imports WHERE status = 'RUNNING'),
			(SELECT count(*) FROM deliveries WHERE status = 'WAITING' AND node = '')
		FROM imports WHERE status = 'PENDING'`)
}
