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

// sessionCells are all but the state.
func sessionCells(s *service.Session) []any {
	return append([]any{&s.ID, &s.Org, &s.ImportIdentifier, micros{&s.Created}}, sessionSavedCells(s)...)
}

func sessionSavedCells(s *service.Session) []any {
	return []any{&s.Tag, &s.File.Key, &s.File.Size, &s.File.SHA256, &s.FileName, &s.ContentType, micros{&s.Saved}}
}

func sessionRow(s *service.Session) []any { return append(sessionCells(s), optional{&s.State}) }

func (r sessions) Insert(ctx context.Context, s service.Session) error {
	return r.insert(ctx, "session", "sessions", sessionFixed+", "+sessionSaved+", state", sessionRow(&s)...)
}

func (r sessions) Get(ctx context.Context, org, id string) (service.Session, error) {
	return one(ctx, r.txn, "session", sessionRow,
		`SELECT `+sessionFixed+", "+sessionSaved+`, state FROM sessions WHERE org = $1 AND id = $2`+r.hold, org, id)
}

func (r sessions) Save(ctx context.Context, s service.Session) error {
	args := append([]any{s.Org, s.ID}, sessionSavedCells(&s)...)
	return r.touch(ctx, "session",
		`UPDATE sessions SET `+assign(sessionSaved+", state", 3)+` WHERE org = $1 AND id = $2`,
		append(args, optional{&s.State})...)
}

func (r sessions) Delete(ctx context.Context, org, id string) error {
	return r.touch(ctx, "session", `DELETE FROM sessions WHERE org = $1 AND id = $2`, org, id)
}

func (r sessions) Stale(ctx context.Context, t time.Time, limit int) ([]service.Session, error) {
	return many(ctx, r.txn, "session", sessionCells,
		`SELECT `+sessionFixed+", "+sessionSaved+` FROM sessions WHERE saved < $1 ORDER BY saved LIMIT $2`,
		toMicros(t), max(limit, 0))
}
