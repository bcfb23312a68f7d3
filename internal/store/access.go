package store

import (
	"context"
	"time"

	"github.com/intraydata/intray/internal/service"
)

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
