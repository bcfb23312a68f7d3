package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type accountRows struct{ *txn }

var orgs = newTable("orgs", "organization", 3, func(to *columns, o *model.Org) {
	to.add("id", &o.ID, "name", &o.Name, "created", micros{&o.Created}, "limits", asJSON{&o.Limits}, "state", &o.State)
})

var licences = newTable("licences", "license", 10, func(to *columns, l *model.Licence) {
	to.add("id", &l.ID, "org", &l.Org, "kind", &l.Kind, "hash", &l.Hash, "hint", &l.Hint,
		"created", micros{&l.Created}, "expires", micros{&l.Expires}, "scopes", &l.Scopes, "origins", &l.Origins, "revoked", micros{&l.Revoked}, "used", micros{&l.Used})
})

func (r accountRows) InsertOrg(ctx context.Context, org model.Org) error {
	org.Limits, org.State = nil, model.OrgActive
	return orgs.insert(ctx, r.txn, org)
}

func (r accountRows) OrgByName(ctx context.Context, name string) (model.Org, error) {
	return orgs.one(ctx, r.txn, ` WHERE name = $1`+r.forUpdate, name)
}

func (r accountRows) SpecialOrgs(ctx context.Context) ([]model.Org, error) {
	return orgs.all(ctx, r.txn, ` WHERE limits <> 'null' OR state <> '' ORDER BY created, id`)
}

func (r accountRows) SetOrgLimits(ctx context.Context, id string, limits map[model.Quota]int64) error {
	if len(limits) == 0 {
		limits = nil
	}
	return r.execOne(ctx, orgs.entity, `UPDATE orgs SET limits = $1 WHERE id = $2`, asJSON{&limits}, id)
}

func (r accountRows) Orgs(ctx context.Context) ([]model.Org, error) {
	return orgs.all(ctx, r.txn, ` ORDER BY created, id`)
}

func (r accountRows) SetOrgState(ctx context.Context, id string, state model.OrgState) error {
	return r.execOne(ctx, orgs.entity, `UPDATE orgs SET state = $1 WHERE id = $2`, state, id)
}

func (r accountRows) InsertLicence(ctx context.Context, l model.Licence) error {
	return licences.insert(ctx, r.txn, l)
}

const byHash = ` WHERE hash = $1`

func (r accountRows) LicenceByHash(ctx context.Context, hash []byte) (model.Licence, error) {
	return licences.one(ctx, r.txn, byHash, hash)
}

func (r accountRows) Licence(ctx context.Context, id string) (model.Licence, error) {
	return licences.one(ctx, r.txn, ` WHERE id = $1`, id)
}

func (r accountRows) SetLicenceUsed(ctx context.Context, id string, at time.Time) error {
	return r.execOne(ctx, licences.entity, `UPDATE licences SET used = $1 WHERE id = $2`, toMicros(at), id)
}

func (r accountRows) Licences(ctx context.Context) ([]model.Licence, error) {
	return licences.all(ctx, r.txn, ` ORDER BY created, id`)
}

func (r accountRows) SetOrigins(ctx context.Context, id string, origins model.Origins) error {
	return r.execOne(ctx, licences.entity, `UPDATE licences SET origins = $1 WHERE id = $2`, origins, id)
}

func (r accountRows) RevokeLicence(ctx context.Context, id string, at time.Time) error {
	return r.execOne(ctx, licences.entity,
		`UPDATE licences SET revoked = CASE WHEN revoked = 0 THEN $1 ELSE revoked END WHERE id = $2`, toMicros(at), id)
}

type sessionRows struct{ ownedRows[model.Session] }

// The table has one more column, state. It is not listed here because it may be large.
var sessions = newTable("sessions", "session", 4, func(to *columns, s *model.Session) {
	to.add("id", &s.ID, "org", &s.Org, "import_identifier", &s.ImportIdentifier, "created", micros{&s.Created},
		"tag", &s.Tag, "file_key", &s.File.Key, "file_size", &s.File.Size, "file_sha256", &s.File.SHA256,
		"file_name", &s.FileName, "content_type", &s.ContentType, "import_id", &s.ImportID, "saved", micros{&s.Saved})
})

func (r sessionRows) LoadState(ctx context.Context, org, id string) ([]byte, error) {
	cells := func(state *[]byte) []any { return []any{nullableBytes{state}} }
	return queryOne(ctx, r.txn, sessions.entity, cells, `SELECT state FROM sessions`+byID, org, id)
}

func (r sessionRows) SaveState(ctx context.Context, s model.Session, state []byte) error {
	return sessions.save(ctx, r.txn, s, byID, []any{s.Org, s.ID}, "state", nullableBytes{&state})
}

func (r sessionRows) ListStale(ctx context.Context, t time.Time, limit int) ([]model.Session, error) {
	return sessions.all(ctx, r.txn, ` WHERE saved < $1 ORDER BY saved LIMIT $2`, toMicros(t), max(limit, 0))
}

type replayRows struct{ *txn }

var replays = newTable("replays", "replay", 2, func(to *columns, r *model.Replay) {
	to.add("org", &r.Org, "call_key", &r.Key,
		"fingerprint", &r.Fingerprint, "node", &r.Node, "status", &r.Status, "created", micros{&r.Created}, "sealed", nullableBytes{&r.Sealed})
})

const byCallKey = ` WHERE org = $1 AND call_key = $2`

func (r replayRows) Insert(ctx context.Context, replay model.Replay) error {
	return replays.insert(ctx, r.txn, replay)
}

func (r replayRows) Get(ctx context.Context, org, key string) (model.Replay, error) {
	return replays.one(ctx, r.txn, byCallKey+r.forUpdate, org, key)
}

func (r replayRows) Save(ctx context.Context, replay model.Replay) error {
	return replays.save(ctx, r.txn, replay, byCallKey, []any{replay.Org, replay.Key})
}

func (r replayRows) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return r.exec(ctx, "delete old replays", `
		DELETE FROM replays WHERE (org, call_key) IN (
			SELECT org, call_key FROM replays WHERE created < $1 ORDER BY created LIMIT $2)`, toMicros(t), max(limit, 0))
}

type rateRows struct{ *txn }

func (r rateRows) Add(ctx context.Context, name string, minute time.Time, n int64) (int64, error) {
	return r.count(ctx, "events", `
		INSERT INTO rates (name, minute, events) VALUES ($1, $2, $3)
		ON CONFLICT (name, minute) DO UPDATE SET events = rates.events + excluded.events RETURNING events`, name, toMicros(minute), n)
}

func (r rateRows) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return r.exec(ctx, "delete old rates", `
		DELETE FROM rates WHERE (name, minute) IN (SELECT name, minute FROM rates WHERE minute < $1 LIMIT $2)`, toMicros(t), max(limit, 0))
}
