package store

import (
	"context"

	"github.com/intraydata/intray/internal/service"
)

type credentials struct{ *txn }

const (
	credentialSaved   = "hostname, port, login, auth_type, sealed, fingerprint, host_key, modified"
	credentialColumns = "id, org, created, " + credentialSaved
)

func credentialCells(c *service.Credential) []any {
	return append([]any{&c.ID, &c.Org, micros{&c.Created}}, credentialSavedCells(c)...)
}

func credentialSavedCells(c *service.Credential) []any {
	return []any{&c.Hostname, &c.Port, &c.User, &c.AuthType,
		optional{&c.Sealed}, &c.Fingerprint, &c.HostKey, micros{&c.Modified}}
}

func (r credentials) Insert(ctx context.Context, c service.Credential) error {
	return r.insert(ctx, "credential", "credentials", credentialColumns, credentialCells(&c)...)
}

func (r credentials) Get(ctx context.Context, org, id string) (service.Credential, error) {
	return one(ctx, r.txn, "credential", credentialCells,
		`SELECT `+credentialColumns+` FROM credentials WHERE org = $1 AND id = $2`+r.hold, org, id)
}

func (r credentials) List(ctx context.Context, org string, offset, limit int64) ([]service.Credential, int64, error) {
	total, err := r.count(ctx, "credential", `SELECT count(*) FROM credentials WHERE org = $1`, org)
	if err != nil {
		return nil, 0, err
	}
	list, err := many(ctx, r.txn, "credential", credentialCells,
		`SELECT `+credentialColumns+` FROM credentials WHERE org = $1 ORDER BY created DESC, id DESC LIMIT $2 OFFSET $3`,
		org, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (r credentials) Save(ctx context.Context, c service.Credential) error {
	return r.touch(ctx, "credential",
		`UPDATE credentials SET `+assign(credentialSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{c.Org, c.ID}, credentialSavedCells(&c)...)...)
}

func (r credentials) Delete(ctx context.Context, org, id string) error {
	return r.touch(ctx, "credential", `DELETE FROM credentials WHERE org = $1 AND id = $2`, org, id)
}
