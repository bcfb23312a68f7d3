package store

import (
	"context"
	"time"

	"github.com/intraydata/intray/internal/service"
)

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
