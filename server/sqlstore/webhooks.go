package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type webhookRows struct{ *txn }

const (
	webhookSaved   = "modified, url, enabled, development, rotated, failing, failed, failures, events, identifiers, schema_ids, sealed, before"
	webhookColumns = "id, org, created, " + webhookSaved
)

func webhookCells(w *model.Webhook) []any {
	return append([]any{&w.ID, &w.Org, micros{&w.Created}}, webhookSavedCells(w)...)
}

func webhookSavedCells(w *model.Webhook) []any {
	return []any{
		micros{&w.Modified}, &w.URL, &w.Enabled, &w.Development, micros{&w.Rotated}, micros{&w.FailureStreak.Since}, micros{&w.FailureStreak.Last}, &w.FailureStreak.Failures,
		asJSON{&w.Events}, asJSON{&w.Identifiers}, asJSON{&w.SchemaIDs}, nullableBytes{&w.Sealed}, nullableBytes{&w.Before},
	}
}

func (r webhookRows) Insert(ctx context.Context, w model.Webhook) error {
	return r.insert(ctx, "webhook", "webhooks", webhookColumns, webhookCells(&w)...)
}

func (r webhookRows) Get(ctx context.Context, org, id string) (model.Webhook, error) {
	return queryOne(ctx, r.txn, "webhook", webhookCells,
		`SELECT `+webhookColumns+` FROM webhooks WHERE org = $1 AND id = $2`+r.forUpdate, org, id)
}

func (r webhookRows) List(ctx context.Context, org string) ([]model.Webhook, error) {
	return queryAll(ctx, r.txn, "webhook", webhookCells, `SELECT `+webhookColumns+` FROM webhooks WHERE org = $1 ORDER BY created, id`, org)
}

func (r webhookRows) Save(ctx context.Context, w model.Webhook) error {
	return r.execOne(ctx, "webhook", `UPDATE webhooks SET `+assignments(webhookSaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{w.Org, w.ID}, webhookSavedCells(&w)...)...)
}

func (r webhookRows) Delete(ctx context.Context, org, id string) error {
	if err := r.execOne(ctx, "webhook", `DELETE FROM webhooks WHERE org = $1 AND id = $2`, org, id); err != nil {
		return err
	}
	_, err := r.exec(ctx, "removing deliveries", `DELETE FROM deliveries WHERE org = $1 AND webhook_id = $2`, org, id)
	return err
}

type deliveryRows struct{ *txn }

// outboxRows is the same rows as they leave.
type outboxRows struct{ *txn }

const (
	deliverySaved   = "status, tries, due, node"
	deliveryColumns = "id, org, webhook_id, import_id, target, created, event, url, " + deliverySaved + ", media, body"
)

func deliveryCells(d *model.Delivery) []any {
	cells := []any{&d.ID, &d.Org, &d.WebhookID, &d.ImportID, &d.Target, micros{&d.Created}, &d.Event, &d.URL}
	return append(append(cells, deliverySavedCells(d)...), &d.ContentType, nullableBytes{&d.Body})
}

func deliverySavedCells(d *model.Delivery) []any {
	return []any{&d.Status, &d.Tries, micros{&d.Due}, &d.Node}
}

func (r deliveryRows) Insert(ctx context.Context, d model.Delivery) error {
	return r.insert(ctx, "delivery", "deliveries", deliveryColumns, deliveryCells(&d)...)
}

func (r deliveryRows) Get(ctx context.Context, org, id string) (model.Delivery, error) {
	return queryOne(ctx, r.txn, "delivery", deliveryCells,
		`SELECT `+deliveryColumns+` FROM deliveries WHERE org = $1 AND id = $2`+r.forUpdate, org, id)
}

func (r deliveryRows) List(ctx context.Context, org, webhookID string, offset, limit int64) ([]model.Delivery, int64, error) {
	total, err := r.count(ctx, "delivery", `SELECT count(*) FROM deliveries WHERE org = $1 AND webhook_id = $2`, org, webhookID)
	if err != nil {
		return nil, 0, err
	}
	list, err := queryAll(ctx, r.txn, "delivery", deliveryCells,
		`SELECT `+deliveryColumns+` FROM deliveries WHERE org = $1 AND webhook_id = $2 ORDER BY created DESC, id DESC LIMIT $3 OFFSET $4`,
		org, webhookID, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (r deliveryRows) Save(ctx context.Context, d model.Delivery) error {
	return r.execOne(ctx, "delivery", `UPDATE deliveries SET `+assignments(deliverySaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{d.Org, d.ID}, deliverySavedCells(&d)...)...)
}

func (r outboxRows) Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]model.Target, error) {
	cells := func(t *model.Target) []any { return []any{&t.Org, &t.Key} }
	return queryAll(ctx, r.txn, "delivery", cells, `
		SELECT org, target FROM (
			SELECT org, target, min(due) AS first, row_number() OVER (PARTITION BY org ORDER BY min(due), target) AS place FROM deliveries
			WHERE status = 'WAITING' AND node = '' AND url <> '' AND due <= $1 GROUP BY org, target) AS t
		WHERE place <= $2 ORDER BY first, target LIMIT $3`, toMicros(now), max(perOrg, 0), max(limit, 0))
}

func (r outboxRows) ClaimDue(ctx context.Context, target, node string, now time.Time, limit int) ([]model.Delivery, error) {
	return queryAll(ctx, r.txn, "delivery", deliveryCells, `
		UPDATE deliveries SET node = $1 WHERE status = 'WAITING' AND node = '' AND id IN (
			SELECT d.id FROM deliveries d WHERE d.target = $2 AND d.status = 'WAITING' AND d.node = '' AND d.due <= $3
			AND NOT EXISTS (
				SELECT 1 FROM deliveries e WHERE e.target = d.target AND e.import_id = d.import_id AND e.status = 'WAITING'
				AND (e.created < d.created OR e.created = d.created AND e.id < d.id))
			ORDER BY d.due, d.created, d.id LIMIT $4)
		RETURNING `+deliveryColumns, node, target, toMicros(now), max(limit, 0))
}

func (r outboxRows) GiveBack(ctx context.Context, node string) error {
	_, err := r.exec(ctx, "taking deliveries back", `UPDATE deliveries SET node = '' WHERE node = $1`, node)
	return err
}

func (r outboxRows) MakeDue(ctx context.Context, target string, now time.Time) error {
	_, err := r.exec(ctx, "hurrying deliveries", `UPDATE deliveries SET due = $1 WHERE target = $2 AND status = 'WAITING' AND due > $1`, toMicros(now), target)
	return err
}

func (r deliveryRows) Requeue(ctx context.Context, org, webhookID string, since, now time.Time) (int64, error) {
	return r.exec(ctx, "sending deliveries again", `
		UPDATE deliveries SET status = 'WAITING', tries = 0, due = $1 WHERE org = $2 AND webhook_id = $3 AND created >= $4
		AND status <> 'WAITING' AND body IS NOT NULL`, toMicros(now), org, webhookID, toMicros(since))
}

func (r outboxRows) GiveUp(ctx context.Context, target string) error {
	_, err := r.exec(ctx, "giving deliveries up", `UPDATE deliveries SET status = 'FAILED' WHERE target = $1 AND status = 'WAITING'`, target)
	return err
}

func (r outboxRows) EraseImport(ctx context.Context, importID string) error {
	for _, query := range []string{
		`DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE import_id = $1)`,
		`UPDATE deliveries SET body = NULL, url = '', status = CASE status WHEN 'WAITING' THEN 'FAILED' ELSE status END WHERE import_id = $1`,
	} {
		if _, err := r.exec(ctx, "blanking deliveries", query, importID); err != nil {
			return err
		}
	}
	return nil
}

func (r outboxRows) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return r.exec(ctx, "removing deliveries", `
		DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE created < $1 AND status <> 'WAITING' ORDER BY created LIMIT $2)`, toMicros(t), max(limit, 0))
}

const attemptColumns = "delivery_id, number, at, took, answered, delivered, status, told, head, body"

func attemptCells(a *model.Attempt) []any {
	return []any{&a.DeliveryID, &a.Number, micros{&a.At}, &a.Took, &a.Answered, &a.Delivered, &a.Status, asMessage{&a.Message}, asJSON{&a.Head}, nullableBytes{&a.Body}}
}

func (r deliveryRows) Attempted(ctx context.Context, a model.Attempt) error {
	return r.insert(ctx, "attempt", "attempts", attemptColumns, attemptCells(&a)...)
}

func (r deliveryRows) Attempts(ctx context.Context, deliveryID string) ([]model.Attempt, error) {
	return queryAll(ctx, r.txn, "attempt", attemptCells, `SELECT `+attemptColumns+` FROM attempts WHERE delivery_id = $1 ORDER BY number`, deliveryID)
}
