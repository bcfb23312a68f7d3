package store

import (
	"context"
	"time"

	"github.com/intraydata/intray/internal/service"
)

type trash struct{ *txn }

func trashCells(t *service.Trash) []any { return []any{&t.Prefix, micros{&t.Due}} }

func (r trash) Add(ctx context.Context, t service.Trash) error {
	_, err := r.exec(ctx, "adding trash", `
		INSERT INTO trash (prefix, due) VALUES ($1, $2) ON CONFLICT (prefix)
		DO UPDATE SET due = CASE WHEN excluded.due > trash.due THEN excluded.due ELSE trash.due END`,
		trashCells(&t)...)
	return err
}

func (r trash) Due(ctx context.Context, now time.Time, limit int) ([]service.Trash, error) {
	return many(ctx, r.txn, "trash", trashCells,
		`SELECT prefix, due FROM trash WHERE due <= $1 ORDER BY due, prefix LIMIT $2`, toMicros(now), max(limit, 0))
}

// Remove removes what is there; what is not is gone already.
func (r trash) Remove(ctx context.Context, prefix string) error {
	_, err := r.exec(ctx, "removing trash", `DELETE FROM trash WHERE prefix = $1`, prefix)
	return err
}
