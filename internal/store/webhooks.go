package store

import (
	"context"
	"time"

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

type deliveries struct{ *txn }

// outbox is the same rows as they leave.
type outbox struct{ *txn }

const (
	deliverySaved   = "status, tries, due, node"
	deliveryColumns = "id, org, webhook_id, import_id, target, created, event, url, " + deliverySaved + ", media, body"
)

func deliveryCells(d *service.Delivery) []any {
	cells := []any{&d.ID, &d.Org, &d.WebhookID, &d.ImportID, &d.Target, micros{&d.Created}, &d.Event, &d.URL}
	return append(append(cells, deliverySavedCells(d)...), &d.ContentType, optional{&d.Body})
}

func deliverySavedCells(d *service.Delivery) []any {
	return []any{&d.Status, &d.Tries, micros{&d.Due}, &d.Node}
}

func (r deliveries) Insert(ctx context.Context, d service.Delivery) error {
	return r.insert(ctx, "delivery", "deliveries", deliveryColumns, deliveryCells(&d)...)
}

func (r deliveries) Get(ctx context.Context, org, id string) (service.Delivery, error) {
	return one(ctx, r.txn, "delivery", deliveryCells,
		`SELECT `+deliveryColumns+` FROM deliveries WHERE org = $1 AND id = $2`+r.hold, org, id)
}

func (r deliveries) List(ctx context.Context, org, webhookID string, offset, limit int64) ([]service.Delivery, int64, error) {
	total, err := r.count(ctx, "delivery", `SELECT count(*) FROM deliveries WHERE org = $1 AND webhook_id = $2`, org, webhookID)
	if err != nil {
		return nil, 0, err
	}
	list, err := many(ctx, r.txn, "delivery", deliveryCells,
		`SELECT `+deliveryColumns+` FROM deliveries WHERE org = $1 AND webhook_id = $2 ORDER BY created DESC, id DESC LIMIT $3 OFFSET $4`,
		org, webhookID, max(limit, 0), max(offset, 0))
	return list, total, err
}

func (r deliveries) Save(ctx context.Context, d service.Delivery) error {
	return r.touch(ctx, "delivery", `UPDATE deliveries SET `+assign(deliverySaved, 3)+` WHERE org = $1 AND id = $2`,
		append([]any{d.Org, d.ID}, deliverySavedCells(&d)...)...)
}

func (r outbox) Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]service.Target, error) {
	cells := func(t *service.Target) []any { return []any{&t.Org, &t.Key} }
	return many(ctx, r.txn, "delivery", cells, `
		SELECT org, target FROM (
			SELECT org, target, min(due) AS first, row_number() OVER (PARTITION BY org ORDER BY min(due), target) AS place FROM deliveries
			WHERE status = 'WAITING' AND node = '' AND url <> '' AND due <= $1 GROUP BY org, target) AS t
		WHERE place <= $2 ORDER BY first, target LIMIT $3`, toMicros(now), max(perOrg, 0), max(limit, 0))
}

func (r outbox) Take(ctx context.Context, target, node string, now time.Time, limit int) ([]service.Delivery, error) {
	return many(ctx, r.txn, "delivery", deliveryCells, `
		UPDATE deliveries SET node = $1 WHERE status = 'WAITING' AND node = '' AND id IN (
			SELECT d.id FROM deliveries d WHERE d.target = $2 AND d.status = 'WAITING' AND d.node = '' AND d.due <= $3
			AND NOT EXISTS (
				SELECT 1 FROM deliveries e WHERE e.target = d.target AND e.import_id = d.import_id AND e.status = 'WAITING'
				AND (e.created < d.created OR e.created = d.created AND e.id < d.id))
			ORDER BY d.due, d.created, d.id LIMIT $4)
		RETURNING `+deliveryColumns, node, target, toMicros(now), max(limit, 0))
}

func (r outbox) GiveBack(ctx context.Context, node string) error {
	_, err := r.exec(ctx, "taking deliveries back", `UPDATE deliveries SET node = '' WHERE node = $1`, node)
	return err
}

func (r outbox) Hurry(ctx context.Context, target string, now time.Time) error {
	_, err := r.exec(ctx, "hurrying deliveries", `UPDATE deliveries SET due = $1 WHERE target = $2 AND status = 'WAITING' AND due > $1`, toMicros(now), target)
	return err
}

func (r deliveries) Again(ctx context.Context, org, webhookID string, since, now time.Time) (int64, error) {
	return r.exec(ctx, "sending deliveries again", `
		UPDATE deliveries SET status = 'WAITING', tries = 0, due = $1 WHERE org = $2 AND webhook_id = $3 AND created >= $4
		AND status <> 'WAITING' AND body IS NOT NULL`, toMicros(now), org, webhookID, toMicros(since))
}

func (r outbox) GiveUp(ctx context.Context, target string) error {
	_, err := r.exec(ctx, "giving deliveries up", `UPDATE deliveries SET status = 'FAILED' WHERE target = $1 AND status = 'WAITING'`, target)
	return err
}

func (r outbox) Blank(ctx context.Context, importID string) error {
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

func (r outbox) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return r.exec(ctx, "removing deliveries", `
		DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE created < $1 AND status <> 'WAITING' ORDER BY created LIMIT $2)`, toMicros(t), max(limit, 0))
}

const attemptColumns = "delivery_id, number, at, took, answered, delivered, status, told, head, body"

func attemptCells(a *service.Attempt) []any {
	return []any{&a.DeliveryID, &a.Number, micros{&a.At}, &a.Took, &a.Answered, &a.Delivered, &a.Status, asMessage{&a.Told}, asJSON{&a.Head}, optional{&a.Body}}
}

func (r deliveries) Attempted(ctx context.Context, a service.Attempt) error {
	return r.insert(ctx, "attempt", "attempts", attemptColumns, attemptCells(&a)...)
}

func (r deliveries) Attempts(ctx context.Context, deliveryID string) ([]service.Attempt, error) {
	return many(ctx, r.txn, "attempt", attemptCells, `SELECT `+attemptColumns+` FROM attempts WHERE delivery_id = $1 ORDER BY number`, deliveryID)
}
