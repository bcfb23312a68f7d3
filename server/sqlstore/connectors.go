package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type credentialRows struct{ *txn }

const (
	credentialSaved   = "hostname, port, login, auth_type, sealed, fingerprint, host_key, modified"
	credentialColumns = "id, org, created, " + credentialSaved
)

func credentialCells(c *model.Credential) []any {
	return append([]any{&c.ID, &c.Org, micros{&c.Created}}, credentialSavedCells(c)...)
}

func credentialSavedCells(c *model.Credential) []any {
	return []any{&c.Hostname, &c.Port, &c.User, &c.AuthType,
		nullableBytes{&c.Sealed}, &c.Fingerprint, &c.HostKey, micros{&c.Modified}}
}

func (r credentialRows) Insert(ctx context.Context, c model.Credential) error {
	return r.insert(ctx, "credential", "credentials", credentialColumns, credentialCells(&c)...)
}

func (r credentialRows) Get(ctx context.Context, org, id string) (model.Credential, error) {
	return queryOne(ctx, r.txn, "credential", credentialCells,
		`SELECT `+credentialColumns+` FROM credentials WHERE org = $1 AND id = $2`+r.forUpdate, org, id)
}

func (r credentialRows) List(ctx context.Context, org string, offset, limit int64) ([]model.Credential, int64, error) {
	total, err := r.count(ctx, "credential", `SELECT count(*) FROM credentials WHERE org = $1`, org)
	if err != nil {
		return nil, 0, err
	}
	list, err := queryAll(ctx, r.txn, "credential", credentialCells,
		`SELECT `+credentialColumns+` FROM credentials WHERE org = $1 ORDER BY created DESC, id DESC LIMIT $2 OFFSET $3`,
		org, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (r credentialRows) Save(ctx context.Context, c model.Credential) error {
	return r.execOne(ctx, "credential",
		`UPDATE credentials SET `+assignments(credentialSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{c.Org, c.ID}, credentialSavedCells(&c)...)...)
}

func (r credentialRows) Delete(ctx context.Context, org, id string) error {
	return r.execOne(ctx, "credential", `DELETE FROM credentials WHERE org = $1 AND id = $2`, org, id)
}

type connectorRows struct{ *txn }

const (
	connectorSaved = "modified, credential_id, schema_id, minutes, daily, directory, pattern, put_directory, put_format, last, next, failures, node"
	connectorCols  = "id, org, created, " + connectorSaved
)

func connectorCells(c *model.Connector) []any {
	return append([]any{&c.ID, &c.Org, micros{&c.Created}}, connectorSavedCells(c)...)
}

func connectorSavedCells(c *model.Connector) []any {
	return []any{
		micros{&c.Modified}, &c.CredentialID, &c.SchemaID, &c.Schedule.Minutes, &c.Schedule.Daily, &c.Directory, &c.Pattern, &c.PutDirectory, &c.PutFormat,
		micros{&c.Last}, micros{&c.Next}, &c.Failures, &c.Node,
	}
}

func (r connectorRows) Insert(ctx context.Context, c model.Connector) error {
	return r.insert(ctx, "connector", "connectors", connectorCols, connectorCells(&c)...)
}

func (r connectorRows) Get(ctx context.Context, org, id string) (model.Connector, error) {
	return queryOne(ctx, r.txn, "connector", connectorCells, `SELECT `+connectorCols+` FROM connectors WHERE org = $1 AND id = $2`+r.forUpdate, org, id)
}

func (r connectorRows) List(ctx context.Context, org string) ([]model.Connector, error) {
	return queryAll(ctx, r.txn, "connector", connectorCells, `SELECT `+connectorCols+` FROM connectors WHERE org = $1 ORDER BY created, id`, org)
}

func (r connectorRows) Save(ctx context.Context, c model.Connector) error {
	return r.execOne(ctx, "connector", `UPDATE connectors SET `+assignments(connectorSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{c.Org, c.ID}, connectorSavedCells(&c)...)...)
}

func (r connectorRows) Delete(ctx context.Context, org, id string) error {
	return r.execOne(ctx, "connector", `DELETE FROM connectors WHERE org = $1 AND id = $2`, org, id)
}

func (r connectorRows) ClaimDue(ctx context.Context, node string, now time.Time) (model.Connector, error) {
	if err := r.acquireLock(ctx, lockConnectors); err != nil {
		return model.Connector{}, err
	}
	return queryOne(ctx, r.txn, "connector", connectorCells, `
		UPDATE connectors SET node = $1 WHERE node = '' AND id = (
			SELECT id FROM connectors WHERE node = '' AND next <= $2 ORDER BY next, id LIMIT 1)
		RETURNING `+connectorCols, node, toMicros(now))
}

func (r connectorRows) GiveBack(ctx context.Context, node string) error {
	_, err := r.exec(ctx, "taking connectors back", `UPDATE connectors SET node = '' WHERE node = $1`, node)
	return err
}

type pulledRows struct{ *txn }

const (
	pulledKey     = "connector_id, path, size, changed"
	pulledSaved   = "org, since, taken, gone, import_id, put, put_due, put_tries, put_told"
	pulledColumns = pulledKey + ", " + pulledSaved
)

func pulledCells(f *model.PulledFile) []any {
	return append(pulledKeyCells(f), pulledSavedCells(f)...)
}

func pulledKeyCells(f *model.PulledFile) []any {
	return []any{&f.ConnectorID, &f.File.Path, &f.File.Size, micros{&f.File.Modified}}
}

func pulledSavedCells(f *model.PulledFile) []any {
	return []any{&f.Org, micros{&f.Since}, &f.Taken, micros{&f.Gone}, &f.ImportID, &f.Put, micros{&f.PutDue}, &f.PutTries, asMessage{&f.PutMessage}}
}

func (r pulledRows) ListByConnector(ctx context.Context, connectorID string) ([]model.PulledFile, error) {
	return queryAll(ctx, r.txn, "pulled file", pulledCells, `SELECT `+pulledColumns+` FROM pulled WHERE connector_id = $1 ORDER BY path, size, changed`, connectorID)
}

func (r pulledRows) Get(ctx context.Context, connectorID string, f model.RemoteFile) (model.PulledFile, error) {
	key := model.PulledFile{ConnectorID: connectorID, File: f}
	return queryOne(ctx, r.txn, "pulled file", pulledCells,
		`SELECT `+pulledColumns+` FROM pulled WHERE connector_id = $1 AND path = $2 AND size = $3 AND changed = $4`+r.forUpdate, pulledKeyCells(&key)...)
}

func (r pulledRows) Upsert(ctx context.Context, f model.PulledFile) error {
	_, err := r.exec(ctx, "noting a pulled file", `INSERT INTO pulled (`+pulledColumns+`) VALUES (`+placeholders(13)+`)
		ON CONFLICT (`+pulledKey+`) DO UPDATE SET org = excluded.org, since = excluded.since, taken = excluded.taken, gone = excluded.gone, import_id = excluded.import_id,
		put = excluded.put, put_due = excluded.put_due, put_tries = excluded.put_tries, put_told = excluded.put_told`, pulledCells(&f)...)
	return err
}

func (r pulledRows) Delete(ctx context.Context, connectorID string, f model.RemoteFile) error {
	key := model.PulledFile{ConnectorID: connectorID, File: f}
	_, err := r.exec(ctx, "forgetting a pulled file", `DELETE FROM pulled WHERE connector_id = $1 AND path = $2 AND size = $3 AND changed = $4`, pulledKeyCells(&key)...)
	return err
}

func (r pulledRows) ByImport(ctx context.Context, importID string) (model.PulledFile, error) {
	return queryOne(ctx, r.txn, "pulled file", pulledCells, `SELECT `+pulledColumns+` FROM pulled WHERE import_id = $1`, importID)
}

func (r pulledRows) ListDueUploads(ctx context.Context, now time.Time, limit int) ([]model.PulledFile, error) {
	return queryAll(ctx, r.txn, "pulled file", pulledCells,
		`SELECT `+pulledColumns+` FROM pulled WHERE put = 'WAITING' AND put_due <= $1 ORDER BY put_due LIMIT $2`, toMicros(now), max(limit, 0))
}

type pullRows struct{ *txn }

const pullColumns = "id, connector_id, began, ended, succeeded, kind, told, listed, fetched, waiting, skipped"

func pullCells(p *model.PullRun) []any {
	return []any{&p.ID, &p.ConnectorID, micros{&p.Began}, micros{&p.Ended}, &p.Succeeded, &p.Kind, asMessage{&p.Message}, &p.Listed, &p.Fetched, &p.Waiting, asJSON{&p.Skipped}}
}

func (r pullRows) Insert(ctx context.Context, p model.PullRun) error {
	return r.insert(ctx, "run of a connector", "pulls", pullColumns, pullCells(&p)...)
}

func (r pullRows) List(ctx context.Context, connectorID string, offset, limit int64) ([]model.PullRun, int64, error) {
	total, err := r.count(ctx, "run of a connector", `SELECT count(*) FROM pulls WHERE connector_id = $1`, connectorID)
	if err != nil {
		return nil, 0, err
	}
	list, err := queryAll(ctx, r.txn, "run of a connector", pullCells,
		`SELECT `+pullColumns+` FROM pulls WHERE connector_id = $1 ORDER BY began DESC, id DESC LIMIT $2 OFFSET $3`, connectorID, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (r pullRows) Trim(ctx context.Context, connectorID string, keep int) error {
	_, err := r.exec(ctx, "forgetting runs of a connector", `DELETE FROM pulls WHERE connector_id = $1 AND id NOT IN (
		SELECT id FROM pulls WHERE connector_id = $1 ORDER BY began DESC, id DESC LIMIT $2)`, connectorID, max(keep, 0))
	return err
}
