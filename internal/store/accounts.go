package store

import (
	"context"
	"time"

	"github.com/intraydata/intray/internal/service"
)

type accounts struct{ *txn }

const orgColumns = "id, name, created"

func orgCells(o *service.Org) []any { return []any{&o.ID, &o.Name, micros{&o.Created}} }

const licenceColumns = "id, org, kind, hash, hint, created, expires, revoked"

func licenceCells(l *service.Licence) []any {
	return []any{&l.ID, &l.Org, &l.Kind, &l.Hash, &l.Hint,
		micros{&l.Created}, micros{&l.Expires}, micros{&l.Revoked}}
}

func (r accounts) InsertOrg(ctx context.Context, org service.Org) error {
	return r.insert(ctx, "organization", "orgs", orgColumns, orgCells(&org)...)
}

func (r accounts) OrgByName(ctx context.Context, name string) (service.Org, error) {
	return one(ctx, r.txn, "organization", orgCells, `SELECT `+orgColumns+` FROM orgs WHERE name = $1`, name)
}

func (r accounts) Orgs(ctx context.Context) ([]service.Org, error) {
	return many(ctx, r.txn, "organization", orgCells, `SELECT `+orgColumns+` FROM orgs ORDER BY created, id`)
}

func (r accounts) InsertLicence(ctx context.Context, l service.Licence) error {
	return r.insert(ctx, "licence", "licences", licenceColumns, licenceCells(&l)...)
}

func (r accounts) LicenceByHash(ctx context.Context, hash []byte) (service.Licence, error) {
	return one(ctx, r.txn, "licence", licenceCells, `SELECT `+licenceColumns+` FROM licences WHERE hash = $1`, hash)
}

func (r accounts) Licences(ctx context.Context) ([]service.Licence, error) {
	return many(ctx, r.txn, "licence", licenceCells, `SELECT `+licenceColumns+` FROM licences ORDER BY created, id`)
}

func (r accounts) RevokeLicence(ctx context.Context, id string, at time.Time) error {
	return r.touch(ctx, "licence",
		`UPDATE licences SET revoked = CASE WHEN revoked = 0 THEN $1 ELSE revoked END WHERE id = $2`, toMicros(at), id)
}
