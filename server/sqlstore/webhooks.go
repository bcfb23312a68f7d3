package sqlstore

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

type webhookRows struct{ ownedRows[model.Webhook] }

var webhooks = newTable("webhooks", "webhook", 3, func(to *columns, w *model.Webhook) {
	to.add("id", &w.ID, "org", &w.Org, "created", micros{&w.Created},
		"modified", micros{&w.Modified}, "url", &w.URL, "enabled", &w.Enabled, "development", &w.Development, "rotated", micros{&w.Rotated},
		"failing", micros{&w.FailureStreak.Since}, "failed", micros{&w.FailureStreak.Last}, "failures", &w.FailureStreak.Failures,
		"events", asJSON{&w.Events}, "identifiers", asJSON{&w.Identifiers}, "schema_ids", asJSON{&w.SchemaIDs},
		"sealed", nullableBytes{&w.Sealed}, "before", nullableBytes{&w.Before})
})

func (r webhookRows) List(ctx context.Context, org string) ([]model.Webhook, error) {
	return webhooks.all(ctx, r.txn, ` WHERE org = $1 ORDER BY created, id`, org)
}

func (r webhookRows) Delete(ctx context.Context, org, id string) error {
	if err := r.ownedRows.Delete(ctx, org, id); err != nil {
		return err
	}
	_, err := r.exec(ctx, "delete deliveries", `DELETE FROM deliveries WHERE org = $1 AND webhook_id = $2`, org, id)
	return err
}

func (r webhookRows) DeleteDeliveries(ctx context.Context, org, id string, limit int) (int64, error) {
	return r.exec(ctx, "delete deliveries", `
		DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE org = $1 AND webhook_id = $2 LIMIT $3)`, org, id, max(limit, 0))
}

type deliveryRows struct{ ownedRows[model.Delivery] }

var deliveries = newTable("deliveries", "delivery", 10, func(to *columns, d *model.Delivery) {
	to.add("id", &d.ID, "org", &d.Org, "webhook_id", &d.WebhookID, "import_id", &d.ImportID, "target", &d.Target, "created", micros{&d.Created},
		"event", &d.Event, "url", &d.URL, "media", &d.ContentType, "body", nullableBytes{&d.Body},
		"status", &d.Status, "tries", &d.Tries, "due", micros{&d.Due}, "node", &d.Node)
})

func (r deliveryRows) Insert(ctx context.Context, d model.Delivery) error {
	if d.ImportID != "" {
		last, err := r.count(ctx, deliveries.entity, `SELECT COALESCE(max(created), 0) FROM deliveries WHERE import_id = $1`, d.ImportID)
		if err != nil {
			return err
		}
		if toMicros(d.Created) <= last {
			d.Created = time.UnixMicro(last + 1)
		}
	}
	return r.ownedRows.Insert(ctx, d)
}

var deliveryList = listing[model.Delivery]{
	table:    deliveries,
	query:    listQuery{where: ` WHERE org = $1 AND webhook_id = $2`, order: []string{"created", "id"}},
	position: func(d model.Delivery) []any { return []any{toMicros(d.Created), d.ID} },
}

func (r deliveryRows) List(ctx context.Context, org, webhookID string, page model.PageRequest) (model.Page[model.Delivery], error) {
	return deliveryList.page(ctx, r.txn, page, org, webhookID)
}

func (r deliveryRows) Requeue(ctx context.Context, org, webhookID string, after model.DeliveryPosition, now time.Time, limit int) ([]model.DeliveryPosition, error) {
	cells := func(p *model.DeliveryPosition) []any { return []any{micros{&p.Created}, &p.ID} }
	return queryAll(ctx, r.txn, deliveries.entity, cells, `
		UPDATE deliveries SET status = 'WAITING', tries = 0, due = $1 WHERE id IN (
			SELECT id FROM deliveries WHERE org = $2 AND webhook_id = $3 AND created >= $4 AND (created > $4 OR id > $5)
			AND status <> 'WAITING' AND body IS NOT NULL ORDER BY created, id LIMIT $6)
		RETURNING created, id`, toMicros(now), org, webhookID, toMicros(after.Created), after.ID, max(limit, 0))
}

var attempts = newTable("attempts", "attempt", 10, func(to *columns, a *model.Attempt) {
	to.add("delivery_id", &a.DeliveryID, "number", &a.Number, "at", micros{&a.At}, "took", &a.Took, "answered", &a.Answered,
		"delivered", &a.Delivered, "status", &a.Status, "told", asMessage{&a.Message}, "head", asJSON{&a.Head}, "body", nullableBytes{&a.Body})
})

func (r deliveryRows) Attempted(ctx context.Context, a model.Attempt) error {
	return attempts.insert(ctx, r.txn, a)
}

func (r deliveryRows) Attempts(ctx context.Context, deliveryID string) ([]model.Attempt, error) {
	return attempts.all(ctx, r.txn, ` WHERE delivery_id = $1 ORDER BY number`, deliveryID)
}

// outboxRows reads and writes the deliveries that are waiting to be sent.
type outboxRows struct{ *txn }

// unclaimed selects the deliveries with a URL that wait and that no node has claimed.
const unclaimed = ` FROM deliveries d WHERE d.status = 'WAITING' AND d.node = '' AND d.url <> '' `

// selectTargets steps from target to target in an index, so that its cost grows with the number of
// targets and not with the number of deliveries that wait for them.
const selectTargets = `
	WITH RECURSIVE step (target) AS (
		SELECT (SELECT d.target` + unclaimed + `ORDER BY d.target LIMIT 1)
		UNION ALL
		SELECT (SELECT d.target` + unclaimed + `AND d.target > step.target ORDER BY d.target LIMIT 1) FROM step WHERE step.target IS NOT NULL
	), found AS MATERIALIZED (
		SELECT target, (SELECT d.org` + unclaimed + `AND d.target = step.target ORDER BY d.due LIMIT 1) AS org,
			(SELECT d.due` + unclaimed + `AND d.target = step.target ORDER BY d.due LIMIT 1) AS first FROM step WHERE target IS NOT NULL
	)
	SELECT org, target FROM (
		SELECT org, target, first, row_number() OVER (PARTITION BY org ORDER BY first, target) AS place FROM found WHERE first <= $1) AS t
	WHERE place <= $2 ORDER BY first, target LIMIT $3`

func (r outboxRows) Targets(ctx context.Context, now time.Time, perOrg, limit int) ([]model.Target, error) {
	cells := func(t *model.Target) []any { return []any{&t.Org, &t.Key} }
	return queryAll(ctx, r.txn, deliveries.entity, cells, selectTargets, toMicros(now), max(perOrg, 0), max(limit, 0))
}

func (r outboxRows) ClaimDue(ctx context.Context, target, node string, now time.Time, limit int) ([]model.Delivery, error) {
	return queryAll(ctx, r.txn, deliveries.entity, deliveries.cells, `
		UPDATE deliveries SET node = $1 WHERE status = 'WAITING' AND node = '' AND id IN (
			SELECT d.id FROM deliveries d WHERE d.target = $2 AND d.status = 'WAITING' AND d.node = '' AND d.due <= $3
			AND NOT EXISTS (
				SELECT 1 FROM deliveries e WHERE e.target = d.target AND e.import_id = d.import_id AND e.status = 'WAITING'
				AND (e.created < d.created OR e.created = d.created AND e.id < d.id))
			ORDER BY d.due, d.created, d.id LIMIT $4)
		RETURNING `+deliveries.list, node, target, toMicros(now), max(limit, 0))
}

func (r outboxRows) Claimed(ctx context.Context, org, target string) (ofTarget, ofOrg int, err error) {
	if err := r.acquireLock(ctx, lock{lockDeliveries, org}); err != nil {
		return 0, 0, err
	}
	type counts struct{ ofTarget, ofOrg int }
	c, err := queryOne(ctx, r.txn, deliveries.entity, func(c *counts) []any { return []any{&c.ofTarget, &c.ofOrg} }, `
		SELECT COALESCE(sum(CASE WHEN target = $2 THEN 1 ELSE 0 END), 0), count(*) FROM deliveries WHERE org = $1 AND node <> ''`, org, target)
	return c.ofTarget, c.ofOrg, err
}

func (r outboxRows) GiveBack(ctx context.Context, node string) error {
	_, err := r.exec(ctx, "release deliveries", `UPDATE deliveries SET node = '' WHERE node = $1`, node)
	return err
}

// makeDue makes deliveries due. Every condition in it is needed to find them in the index
// deliveries_due.
const makeDue = `
	UPDATE deliveries SET due = $1 WHERE id IN (
		SELECT id FROM deliveries WHERE target = $2 AND status = 'WAITING' AND node = '' AND due > $1 LIMIT $3)`

func (r outboxRows) MakeDue(ctx context.Context, target string, now time.Time, limit int) (int64, error) {
	return r.exec(ctx, "make deliveries due", makeDue, toMicros(now), target, max(limit, 0))
}

func (r outboxRows) GiveUp(ctx context.Context, target string, limit int) (int64, error) {
	return r.exec(ctx, "give up deliveries", `
		UPDATE deliveries SET status = 'FAILED' WHERE id IN (SELECT id FROM deliveries WHERE target = $1 AND status = 'WAITING' LIMIT $2)`, target, max(limit, 0))
}

func (r outboxRows) OfImport(ctx context.Context, importID string) ([]model.Delivery, error) {
	list, err := deliveries.all(ctx, r.txn, ` WHERE import_id = $1 ORDER BY created, id`, importID)
	for i := range list {
		list[i].Body = nil
	}
	return list, err
}

func (r outboxRows) EraseImport(ctx context.Context, importID string) error {
	for _, query := range []string{
		`DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE import_id = $1)`,
		`UPDATE deliveries SET body = NULL, url = '', status = CASE status WHEN 'WAITING' THEN 'FAILED' ELSE status END WHERE import_id = $1`,
	} {
		if _, err := r.exec(ctx, "erase deliveries", query, importID); err != nil {
			return err
		}
	}
	return nil
}

func (r outboxRows) DeleteBefore(ctx context.Context, t time.Time, limit int) (int64, error) {
	return r.exec(ctx, "delete old deliveries", `
		DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE created < $1 AND status <> 'WAITING' ORDER BY created LIMIT $2)`, toMicros(t), max(limit, 0))
}
