package server

import (
	"context"
	"log/slog"

	"github.com/intraydata/intray/server/httpapi"
)

// requestLog adds the ID of the request to records that are logged while a request is handled.
type requestLog struct{ slog.Handler }

// Handle implements [slog.Handler].
func (l requestLog) Handle(ctx context.Context, r slog.Record) error {
	if id := httpapi.RequestID(ctx); id != "" {
		r = r.Clone()
		r.AddAttrs(slog.String("request_id", id))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (l requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (l requestLog) WithGroup(name string) slog.Handler { return requestLog{l.Handler.WithGroup(name)} }
