package store

import (
	"context"

	"github.com/intraydata/intray/internal/service"
)

type webhooks struct{ *txn }

const (
	webhookSaved   = "modified, url, enabled, development, rotated, failing, failed, failures, events, identifiers, schema_ids, sealed, before"
	webhookColumns = "id, org, created, " + webhookSaved
)

func webhookCells(w *service.Webhook) []any {
	return append([]any{&w.ID, &w.Org, micros{&w.Created}}, webhookSavedCells(w)...)
}

func webhookSavedCells(w *service.Webhook) []any {
	return []any{
		micros{&w.Modified}, &w.URL, &w.Enabled, &w.Development, micros{&w.Rotated}, micros{&w.Failing.Since}, micros{&w.Failing.Last}, &w.Failing.Failures,
		asJSON{&w.Events}, asJSON{&w.Identifiers}, asJSON{&w.SchemaIDs}, optional{&w.Sealed}, optional{&w.Before},
	}
}

func (r webhooks) Insert(ctx context.Context, w service.Webhook) error {
	return r.insert(ctx, "webhook", "webhooks", webhookColumns, webhookCells(&w)...)
}

func (r webhooks) Get(ctx context.Context, org, id string) (service.Webhook, error) {
	return one(ctx, r.txn, "webhook", webhookCells,
		`SELECT `+webhookColumns+` FROM webhooks WHERE org = $1 AND id = $2`+r.hold, org, id)
}

func (r webhooks) List(ctx context.Context, org string) ([]service.Webhook, error) {
	return many(ctx, r.txn, "webhook", webhookCells, `SELECT `+webhookColumns+` FROM webhooks WHERE org = $1 ORDER BY created, id`, org)
}

func (r webhooks) Save(ctx context.Context, w service.Webhook) error {
	return r.touch(ctx, "webhook", `UPDATE webhooks SET `+assign(webhookSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{w.Org, w.ID}, webhookSavedCells(&w)...)...)
}

func (r webhooks) Delete(ctx context.Context, org, id string) error {
	if err := r.touch(ctx, "webhook", `DELETE FROM webhooks WHERE org = $1 AND id = $2`, org, id); err != nil {
		return err
	}
	_, err := r.exec(ctx, "removing deliveries", `DELETE FROM deliveries WHERE org = $1 AND webhook_id = $2`, org, id)
	return err
}
