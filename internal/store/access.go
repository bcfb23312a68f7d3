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

type sessions struct{ *txn }

const (
	sessionFixed = "id, org, import_identifier, created"
	sessionSaved = "tag, file_key, file_size, file_sha256, file_name, content_type, saved"
)

func sessionCells(s *service.Session) []any {
	return append([]any{&s.ID, &s.Org, &s.ImportIdentifier, micros{&s.Created}}, sessionSavedCells(s)...)
}

func sessionSavedCells(s *service.Session) []any {
	return []any{&s.Tag, &s.File.Key, &s.File.Size, &s.File.SHA256, &s.FileName, &s.ContentType, micros{&s.Saved}}
}

func (r sessions) Insert(ctx context.Context, s service.Session) error {
	return r.insert(ctx, "session", "sessions", sessionFixed+", "+sessionSaved, sessionCells(&s)...)
}

func (r sessions) Get(ctx context.Context, org, id string) (service.Session, error) {
	return one(ctx, r.txn, "session", sessionCells,
		`SELECT `+sessionFixed+", "+sessionSaved+` FROM sessions WHERE org = $1 AND id = $2`+r.hold, org, id)
}

func (r sessions) State(ctx context.Context, org, id string) ([]byte, error) {
	cells := func(state *[]byte) []any { return []any{optional{state}} }
	return one(ctx, r.txn, "session", cells, `SELECT state FROM sessions WHERE org = $1 AND id = $2`, org, id)
}

func (r sessions) Save(ctx context.Context, s service.Session) error {
	return r.touch(ctx, "session",
		`UPDATE sessions SET `+assign(sessionSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{s.Org, s.ID}, sessionSavedCells(&s)...)...)
}

func (r sessions) SaveState(ctx context.Context, s service.Session, state []byte) error {
	args := append([]any{s.Org, s.ID}, sessionSavedCells(&s)...)
	return r.touch(ctx, "session",
		`UPDATE sessions SET `+assign(sessionSaved+", state", 3)+` WHERE org = $1 AND id = $2`,
		append(args, optional{&state})...)
}

func (r sessions) Delete(ctx context.Context, org, id string) error {
	return r.touch(ctx, "session", `DELETE FROM sessions WHERE org = $1 AND id = $2`, org, id)
}

func (r sessions) Stale(ctx context.Context, t time.Time, limit int) ([]service.Session, error) {
	return many(ctx, r.txn, "session", sessionCells,
		`SELECT `+sessionFixed+", "+sessionSaved+` FROM sessions WHERE saved < $1 ORDER BY saved LIMIT $2`,
		toMicros(t), max(limit, 0))
}

type replays struct{ *txn }

const (
	replaySaved   = "fingerprint, node, status, created, sealed"
	replayColumns = "org, call_key, " + replaySaved
)

func replayCells(r *service.Replay) []any {
	return append([]any{&r.Org, &r.Key}, replaySavedCells(r)...)
}

func replaySavedCells(r *service.Replay) []any {
	return []any{&r.Fingerprint, &r.Node, &r.Status, micros{&r.Created}, optional{&r.Sealed}}
}

func (r replays) Insert(ctx context.Context, replay service.Replay) error {
	return r.insert(ctx, "replay", "replays", replayColumns, replayCells(&replay)...)
}

func (r replays) Get(ctx context.Context, org, key string) (service.Replay, error) {
	return one(ctx, r.txn, "replay", replayCells,
		`SELECT `+replayColumns+` FROM replays WHERE org = $1 AND call_key = $2`+r.hold, org, key)
}

func (r replays) Save(ctx context.Context, replay service.Replay) error {
	return r.touch(ctx, "replay",
		`UPDATE replays SET `+assign(replaySaved, 3)+` WHERE org = $1 AND call_key = $2`,
		append([]any{replay.Org, replay.Key}, replaySavedCells(&replay)...)...)
}

func (r replays) DeleteBefore(ctx context.Context, t time.Time) error {
	_, err := r.exec(ctx, "removing old replays", `DELETE FROM replays WHERE created < $1`, toMicros(t))
	return err
}
