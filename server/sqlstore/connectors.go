package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type credentialRows struct{ ownedRows[model.Credential] }

var credentials = newTable("credentials", "credential", 3, func(to *columns, c *model.Credential) {
	to.add("id", &c.ID, "org", &c.Org, "created", micros{&c.Created},
		"hostname", &c.Hostname, "port", &c.Port, "login", &c.User, "auth_type", &c.AuthType, "sealed", nullableBytes{&c.Sealed},
		"fingerprint", &c.Fingerprint, "host_key", &c.HostKey, "modified", micros{&c.Modified})
})

var credentialList = listing[model.Credential]{
	table: credentials,
	query: listQuery{
		where: ` WHERE org = $1`, order: []string{"created", "id"},
		count: `SELECT credentials FROM org_usage WHERE org = $1`,
	},
	position: func(c model.Credential) []any { return []any{toMicros(c.Created), c.ID} },
}

func (r credentialRows) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.Credential], error) {
	return credentialList.page(ctx, r.txn, page, org)
}

type connectorRows struct{ ownedRows[model.Connector] }

var connectors = newTable("connectors", "connector", 3, func(to *columns, c *model.Connector) {
	to.add("id", &c.ID, "org", &c.Org, "created", micros{&c.Created},
		"modified", micros{&c.Modified}, "credential_id", &c.CredentialID, "schema_id", &c.SchemaID, "minutes", &c.Schedule.Minutes, "daily", &c.Schedule.Daily,
		"directory", &c.Directory, "pattern", &c.Pattern, "put_directory", &c.PutDirectory, "put_format", &c.PutFormat,
		"last", micros{&c.Last}, "next", micros{&c.Next}, "failures", &c.Failures, "node", &c.Node)
})

func (r connectorRows) List(ctx context.Context, org string) ([]model.Connector, error) {
	return connectors.all(ctx, r.txn, ` WHERE org = $1 ORDER BY created, id`, org)
}

// isDue is the condition for connectors that can be claimed at the time $1.
const isDue = `node = '' AND next <= $1 AND NOT EXISTS (SELECT 1 FROM orgs WHERE orgs.id = connectors.org AND orgs.state <> '')`

func (r connectorRows) IsDue(ctx context.Context, now time.Time) (bool, error) {
	n, err := r.count(ctx, connectors.entity, `SELECT count(*) FROM (SELECT 1 FROM connectors WHERE `+isDue+` LIMIT 1) AS due`, toMicros(now))
	return n > 0, err
}

func (r connectorRows) ClaimDue(ctx context.Context, node string, now time.Time) (model.Connector, error) {
	if err := r.acquireLock(ctx, lock{number: lockConnectors}); err != nil {
		return model.Connector{}, err
	}
	return queryOne(ctx, r.txn, connectors.entity, connectors.cells, `
		UPDATE connectors SET node = $2 WHERE node = '' AND id = (
			SELECT id FROM connectors WHERE `+isDue+` ORDER BY next, id LIMIT 1)
		RETURNING `+connectors.list, toMicros(now), node)
}

func (r connectorRows) Running(ctx context.Context, org string) ([]model.Connector, error) {
	return connectors.all(ctx, r.txn, ` WHERE org = $1 AND node <> '' ORDER BY id`, org)
}

func (r connectorRows) GiveBack(ctx context.Context, node string) error {
	_, err := r.exec(ctx, "release connectors", `UPDATE connectors SET node = '' WHERE node = $1`, node)
	return err
}

type pulledRows struct{ *txn }

// The first four columns are the primary key.
var pulled = newTable("pulled", "pulled file", 4, func(to *columns, f *model.PulledFile) {
	to.add("connector_id", &f.ConnectorID, "path", &f.File.Path, "size", &f.File.Size, "changed", micros{&f.File.Modified},
		"org", &f.Org, "since", micros{&f.Since}, "taken", &f.Taken, "gone", micros{&f.Gone}, "import_id", &f.ImportID,
		"put", &f.Put, "put_due", micros{&f.PutDue}, "put_tries", &f.PutTries, "put_kind", &f.PutKind, "put_told", asMessage{&f.PutMessage})
})

const byVersion = ` WHERE connector_id = $1 AND path = $2 AND size = $3 AND changed = $4`

func versionKey(connectorID string, f model.RemoteFile) []any {
	return []any{connectorID, f.Path, f.Size, toMicros(f.Modified)}
}

func (r pulledRows) ListByConnector(ctx context.Context, connectorID string) ([]model.PulledFile, error) {
	return pulled.all(ctx, r.txn, ` WHERE connector_id = $1 ORDER BY path, size, changed`, connectorID)
}

func (r pulledRows) Get(ctx context.Context, connectorID string, f model.RemoteFile) (model.PulledFile, error) {
	return pulled.one(ctx, r.txn, byVersion+r.forUpdate, versionKey(connectorID, f)...)
}

func (r pulledRows) Upsert(ctx context.Context, f model.PulledFile) error {
	cells := pulled.cells(&f)
	_, err := r.exec(ctx, "save pulled file", `INSERT INTO pulled (`+pulled.list+`) VALUES (`+placeholders(len(cells))+`)
		ON CONFLICT (connector_id, path, size, changed) DO UPDATE SET `+assignments(pulled.names[pulled.fixed:], pulled.fixed+1), cells...)
	return err
}

func (r pulledRows) Delete(ctx context.Context, connectorID string, f model.RemoteFile) error {
	_, err := r.exec(ctx, "delete pulled file", `DELETE FROM pulled`+byVersion, versionKey(connectorID, f)...)
	return err
}

func (r pulledRows) DeleteOf(ctx context.Context, connectorID string, limit int) (int64, error) {
	return r.exec(ctx, "delete pulled files", `
		DELETE FROM pulled WHERE connector_id = $1 AND (path, size, changed) IN (
			SELECT path, size, changed FROM pulled WHERE connector_id = $1 LIMIT $2)`, connectorID, max(limit, 0))
}

func (r pulledRows) QueueUpload(ctx context.Context, importID string, due time.Time) error {
	_, err := r.exec(ctx, "queue the upload of a result", `
		UPDATE pulled SET put = 'WAITING', put_due = $2, put_tries = 0, put_kind = '', put_told = ''
		WHERE import_id = $1 AND connector_id IN (SELECT id FROM connectors WHERE put_directory <> '')`, importID, toMicros(due))
	return err
}

func (r pulledRows) IsUploadDue(ctx context.Context, now time.Time) (bool, error) {
	n, err := r.count(ctx, pulled.entity, `SELECT count(*) FROM (SELECT 1 FROM pulled WHERE put = 'WAITING' AND put_due <= $1 LIMIT 1) AS due`, toMicros(now))
	return n > 0, err
}

func (r pulledRows) ListDueUploads(ctx context.Context, now time.Time, limit int) ([]model.PulledFile, error) {
	// Other transactions must not find the same uploads before this one has postponed them.
	if err := r.acquireLock(ctx, lock{number: lockUploads}); err != nil {
		return nil, err
	}
	return pulled.all(ctx, r.txn, ` WHERE put = 'WAITING' AND put_due <= $1 ORDER BY put_due LIMIT $2`, toMicros(now), max(limit, 0))
}

var resultUploadList = listing[model.PulledFile]{
	table: pulled,
	query: listQuery{where: ` WHERE connector_id = $1 AND put <> ''`, order: []string{"since", "path", "size", "changed"}, opposite: true},
	position: func(f model.PulledFile) []any {
		return []any{toMicros(f.Since), f.File.Path, f.File.Size, toMicros(f.File.Modified)}
	},
}

func (r pulledRows) ListUploads(ctx context.Context, connectorID string, page model.PageRequest) (model.Page[model.PulledFile], error) {
	return resultUploadList.page(ctx, r.txn, page, connectorID)
}

func (r pulledRows) CountFailedUploads(ctx context.Context, org string) (map[string]int64, error) {
	type count struct {
		connectorID string
		n           int64
	}
	list, err := queryAll(ctx, r.txn, pulled.entity, func(c *count) []any { return []any{&c.connectorID, &c.n} },
		`SELECT connector_id, count(*) FROM pulled WHERE org = $1 AND put_kind <> '' GROUP BY connector_id`, org)
	counts := map[string]int64{}
	for _, c := range list {
		counts[c.connectorID] = c.n
	}
	return counts, err
}

func (r pulledRows) RetryUploads(ctx context.Context, connectorID string, now, leased time.Time, limit int) (int64, error) {
	return r.exec(ctx, "retry uploads of results", `
		UPDATE pulled SET put = 'WAITING', put_due = $1, put_tries = 0 WHERE (connector_id, path, size, changed) IN (
			SELECT connector_id, path, size, changed FROM pulled WHERE connector_id = $2 AND put_kind NOT IN ('', $3) AND (put = 'FAILED' OR put = 'WAITING' AND put_due > $4)
			ORDER BY since LIMIT $5`+r.forUpdate+`)`, toMicros(now), connectorID, model.ResultDeleted, toMicros(leased), max(limit, 0))
}

type pullRows struct{ *txn }

var pulls = newTable("pulls", "run of a connector", 11, func(to *columns, p *model.PullRun) {
	to.add("id", &p.ID, "connector_id", &p.ConnectorID, "began", micros{&p.Began}, "ended", micros{&p.Ended}, "succeeded", &p.Succeeded,
		"kind", &p.Kind, "told", asMessage{&p.Message}, "listed", &p.Listed, "fetched", &p.Fetched, "waiting", &p.Waiting, "skipped", asJSON{&p.Skipped})
})

func (r pullRows) Insert(ctx context.Context, p model.PullRun) error {
	return pulls.insert(ctx, r.txn, p)
}

var pullList = listing[model.PullRun]{
	table:    pulls,
	query:    listQuery{where: ` WHERE connector_id = $1`, order: []string{"began", "id"}},
	position: func(p model.PullRun) []any { return []any{toMicros(p.Began), p.ID} },
}

func (r pullRows) List(ctx context.Context, connectorID string, page model.PageRequest) (model.Page[model.PullRun], error) {
	return pullList.page(ctx, r.txn, page, connectorID)
}

func (r pullRows) Trim(ctx context.Context, connectorID string, keep int) error {
	_, err := r.exec(ctx, "delete old runs of a connector", `DELETE FROM pulls WHERE connector_id = $1 AND id NOT IN (
		SELECT id FROM pulls WHERE connector_id = $1 ORDER BY began DESC, id DESC LIMIT $2)`, connectorID, max(keep, 0))
	return err
}
