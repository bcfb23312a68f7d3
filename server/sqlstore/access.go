package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type accountRows struct{ *txn }

const orgColumns = "id, name, created"

func orgCells(o *model.Org) []any { return []any{&o.ID, &o.Name, micros{&o.Created}} }

const licenceColumns = "id, org, kind, hash, hint, created, expires, revoked"

func licenceCells(l *model.Licence) []any {
	return []any{&l.ID, &l.Org, &l.Kind, &l.Hash, &l.Hint,
		micros{&l.Created}, micros{&l.Expires}, micros{&l.Revoked}}
}

func (r accountRows) InsertOrg(ctx context.Context, org model.Org) error {
	return r.insert(ctx, "organization", "orgs", orgColumns, orgCells(&org)...)
}

func (r accountRows) OrgByName(ctx context.Context, name string) (model.Org, error) {
	return queryOne(ctx, r.txn, "organization", orgCells, `SELECT `+orgColumns+` FROM orgs WHERE name = $1`, name)
}

func (r accountRows) Orgs(ctx context.Context) ([]model.Org, error) {
	return queryAll(ctx, r.txn, "organization", orgCells, `SELECT `+orgColumns+` FROM orgs ORDER BY created, id`)
}

func (r accountRows) InsertLicence(ctx context.Context, l model.Licence) error {
	return r.insert(ctx, "licence", "licences", licenceColumns, licenceCells(&l)...)
}

func (r accountRows) LicenceByHash(ctx context.Context, hash []byte) (model.Licence, error) {
	return queryOne(ctx, r.txn, "licence", licenceCells, `SELECT `+licenceColumns+` FROM licences WHERE hash = $1`, hash)
}

func (r accountRows) Licences(ctx context.Context) ([]model.Licence, error) {
	return queryAll(ctx, r.txn, "licence", licenceCells, `SELECT `+licenceColumns+` FROM licences ORDER BY created, id`)
}

func (r accountRows) RevokeLicence(ctx context.Context, id string, at time.Time) error {
	return r.execOne(ctx, "licence",
		`UPDATE licences SET revoked = CASE WHEN revoked = 0 THEN $1 ELSE revoked END WHERE id = $2`, toMicros(at), id)
}

type sessionRows struct{ *txn }

const (
	sessionFixed = "id, org, import_identifier, created"
	sessionSaved = "tag, file_key, file_size, file_sha256, file_name, content_type, saved"
)

func sessionCells(s *model.Session) []any {
	return append([]any{&s.ID, &s.Org, &s.ImportIdentifier, micros{&s.Created}}, sessionSavedCells(s)...)
}

func sessionSavedCells(s *model.Session) []any {
	return []any{&s.Tag, &s.File.Key, &s.File.Size, &s.File.SHA256, &s.FileName, &s.ContentType, micros{&s.Saved}}
}

func (r sessionRows) Insert(ctx context.Context, s model.Session) error {
	return r.insert(ctx, "session", "sessions", sessionFixed+", "+sessionSaved, sessionCells(&s)...)
}

func (r sessionRows) Get(ctx context.Context, org, id string) (model.Session, error) {
	return queryOne(ctx, r.txn, "session", sessionCells,
		`SELECT `+sessionFixed+", "+sessionSaved+` FROM sessions WHERE org = $1 AND id = $2`+r.forUpdate, org, id)
}

func (r sessionRows) LoadState(ctx context.Context, org, id string) ([]byte, error) {
	cells := func(state *[]byte) []any { return []any{nullableBytes{state}} }
	return queryOne(ctx, r.txn, "session", cells, `SELECT state FROM sessions WHERE org = $1 AND id = $2`, org, id)
}

func (r sessionRows) Save(ctx context.Context, s model.Session) error {
	return r.execOne(ctx, "session",
		`UPDATE sessions SET `+assignments(sessionSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{s.Org, s.ID}, sessionSavedCells(&s)...)...)
}

func (r sessionRows) SaveState(ctx context.Context, s model.Session, state []byte) error {
	args := append([]any{s.Org, s.ID}, sessionSavedCells(&s)...)
	return r.execOne(ctx, "session",
		`UPDATE sessions SET `+assignments(sessionSaved+", state", 3)+` WHERE org = $1 AND id = $2`,
		append(args, nullableBytes{&state})...)
}

func (r sessionRows) Delete(ctx context.Context, org, id string) error {
	return r.execOne(ctx, "session", `DELETE FROM sessions WHERE org = $1 AND id = $2`, org, id)
}

func (r sessionRows) ListStale(ctx context.Context, t time.Time, limit int) ([]model.Session, error) {
	return queryAll(ctx, r.txn, "session", sessionCells,
		`SELECT `+sessionFixed+", "+sessionSaved+` FROM sessions WHERE saved < $1 ORDER BY saved LIMIT $2`,
		toMicros(t), max(limit, 0))
}

type replayRows struct{ *txn }

const (
	replaySaved   = "fingerprint, node, status, created, sealed"
	replayColumns = "org, call_key, " + replaySaved
)

func replayCells(r *model.Replay) []any {
	return append([]any{&r.Org, &r.Key}, replaySavedCells(r)...)
}

func replaySavedCells(r *model.Replay) []any {
	return []any{&r.Fingerprint, &r.Node, &r.Status, micros{&r.Created}, nullableBytes{&r.Sealed}}
}

func (r replayRows) Insert(ctx context.Context, replay model.Replay) error {
	return r.insert(ctx, "replay", "replays", replayColumns, replayCells(&replay)...)
}

func (r replayRows) Get(ctx context.Context, org, key string) (model.Replay, error) {
	return queryOne(ctx, r.txn, "replay", replayCells,
		`SELECT `+replayColumns+` FROM replays WHERE org = $1 AND call_key = $2`+r.forUpdate, org, key)
}

func (r replayRows) Save(ctx context.Context, replay model.Replay) error {
	return r.execOne(ctx, "replay",
		`UPDATE replays SET `+assignments(replaySaved, 3)+` WHERE org = $1 AND call_key = $2`,
		append([]any{replay.Org, replay.Key}, replaySavedCells(&replay)...)...)
}

func (r replayRows) DeleteBefore(ctx context.Context, t time.Time) error {
	_, err := r.exec(ctx, "removing old replays", `DELETE FROM replays WHERE created < $1`, toMicros(t))
	return err
}
