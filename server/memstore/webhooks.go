package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/intraydata/intray/server/model"
)

type webhookRows struct {
	*txn
	owned ownedRows[model.Webhook]
}

func webhookOwner(w model.Webhook) owner { return owner{w.Org, w.ID} }

func (r webhookRows) Insert(_ context.Context, w model.Webhook) error { return r.owned.insert(w) }

func (r webhookRows) Get(_ context.Context, org, id string) (model.Webhook, error) {
	return r.owned.get(org, id)
}

func (r webhookRows) List(_ context.Context, org string) ([]model.Webhook, error) {
	order := byTime(func(w model.Webhook) time.Time { return w.Created }, func(w model.Webhook) string { return w.ID })
	return r.webhooks.find(r.owned.is(org), order, 0, -1), nil
}

func (r webhookRows) Save(_ context.Context, w model.Webhook) error {
	return r.owned.save(w, func(stored model.Webhook, row *model.Webhook) { row.Created = stored.Created })
}

func (r webhookRows) Delete(ctx context.Context, org, id string) error {
	if err := r.owned.delete(org, id); err != nil {
		return err
	}
	_, err := r.DeleteDeliveries(ctx, org, id, len(r.deliveries.byKey))
	return err
}

func (r webhookRows) DeleteDeliveries(_ context.Context, org, id string, limit int) (int64, error) {
	return r.removeDeliveries(func(d model.Delivery) bool { return d.Org == org && d.WebhookID == id }, limit)
}

type deliveryRows struct {
	*txn
	owned ownedRows[model.Delivery]
}

func deliveryOwner(d model.Delivery) owner { return owner{d.Org, d.ID} }

func deliveryID(d model.Delivery) string { return d.ID }

var deliveryOrder = byTime(func(d model.Delivery) time.Time { return d.Created }, deliveryID)

type attemptKey struct {
	delivery string
	number   int
}

func keyOfAttempt(a model.Attempt) attemptKey { return attemptKey{a.DeliveryID, a.Number} }

func attemptOrder(a, b model.Attempt) int {
	return cmp.Or(cmp.Compare(a.DeliveryID, b.DeliveryID), cmp.Compare(a.Number, b.Number))
}

// removeDeliveries deletes at most limit deliveries that meet a condition, oldest first, and their
// attempts. It returns the number of deliveries.
func (t *txn) removeDeliveries(condition func(model.Delivery) bool, limit int) (int64, error) {
	ids, err := t.deliveries.removeWhere(t, condition, deliveryOrder, max(limit, 0), deliveryID)
	if err != nil {
		return 0, err
	}
	return int64(len(ids)), t.removeAttempts(func(id string) bool { return slices.Contains(ids, id) })
}

func (t *txn) removeAttempts(of func(delivery string) bool) error {
	_, err := t.attempts.removeWhere(t, func(a model.Attempt) bool { return of(a.DeliveryID) }, attemptOrder, -1, keyOfAttempt)
	return err
}

func (r deliveryRows) Insert(_ context.Context, d model.Delivery) error {
	for _, other := range r.deliveries.byKey {
		if d.ImportID != "" && other.ImportID == d.ImportID && !d.Created.After(other.Created) {
			d.Created = other.Created.Add(time.Microsecond)
		}
	}
	return r.owned.insert(d)
}

func (r deliveryRows) Get(_ context.Context, org, id string) (model.Delivery, error) {
	return r.owned.get(org, id)
}

var deliveryList = byCreation(reversed(deliveryOrder),
	func(d model.Delivery) (time.Time, string) { return d.Created, d.ID },
	func(at time.Time, id string) model.Delivery { return model.Delivery{Created: at, ID: id} },
)

func (r deliveryRows) List(_ context.Context, org, webhookID string, page model.PageRequest) (model.Page[model.Delivery], error) {
	return pageOf(&r.deliveries, func(d model.Delivery) bool { return d.Org == org && d.WebhookID == webhookID }, deliveryList, page)
}

func (r deliveryRows) Save(_ context.Context, d model.Delivery) error {
	return r.deliveries.change(r.txn, d.ID, r.owned.is(d.Org), func(stored *model.Delivery) {
		stored.Status, stored.Tries, stored.Due, stored.Node = d.Status, d.Tries, d.Due, d.Node
	})
}

func (r deliveryRows) Requeue(_ context.Context, org, webhookID string, after model.DeliveryPosition, now time.Time, limit int) (positions []model.DeliveryPosition, err error) {
	selected := func(d model.Delivery) bool {
		follows := cmp.Or(d.Created.Compare(after.Created), cmp.Compare(d.ID, after.ID)) > 0
		return d.Org == org && d.WebhookID == webhookID && follows && d.Status != model.Waiting && d.Body != nil
	}
	changed, err := r.deliveries.changeWhere(r.txn, selected, deliveryOrder, max(limit, 0), deliveryID, func(d *model.Delivery) {
		d.Status, d.Tries, d.Due = model.Waiting, 0, now
	})
	for _, d := range changed {
		positions = append(positions, model.DeliveryPosition{Created: d.Created, ID: d.ID})
	}
	return positions, err
}

func (r deliveryRows) Attempted(_ context.Context, a model.Attempt) error {
	if _, exists := r.deliveries.byKey[a.DeliveryID]; !exists {
		return ownerMissing()
	}
	return r.attempts.insert(r.txn, keyOfAttempt(a), a)
}

func (r deliveryRows) Attempts(_ context.Context, deliveryID string) ([]model.Attempt, error) {
	return r.attempts.find(func(a model.Attempt) bool { return a.DeliveryID == deliveryID }, attemptOrder, 0, -1), nil
}

type outboxRows struct{ *txn }

func isUnclaimed(d model.Delivery) bool { return d.Status == model.Waiting && d.Node == "" }

var dueOrder = func(a, b model.Delivery) int { return cmp.Or(a.Due.Compare(b.Due), deliveryOrder(a, b)) }

func (r outboxRows) Targets(_ context.Context, now time.Time, perOrg, limit int) (targets []model.Target, err error) {
	seen, ofOrg := map[string]bool{}, map[string]int{}
	for _, d := range r.deliveries.find(func(d model.Delivery) bool { return isUnclaimed(d) && d.URL != "" && !d.Due.After(now) }, func(a, b model.Delivery) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Target, b.Target), deliveryOrder(a, b))
	}, 0, -1) {
		if seen[d.Target] {
			continue
		}
		seen[d.Target] = true
		if ofOrg[d.Org]++; ofOrg[d.Org] <= perOrg && len(targets) < limit {
			targets = append(targets, model.Target{Org: d.Org, Key: d.Target})
		}
	}
	return targets, nil
}

func (r outboxRows) ClaimDue(_ context.Context, target, node string, now time.Time, limit int) ([]model.Delivery, error) {
	first := func(d model.Delivery) bool {
		return r.deliveries.count(func(e model.Delivery) bool {
			return e.Target == d.Target && e.ImportID == d.ImportID && e.Status == model.Waiting && deliveryOrder(e, d) < 0
		}) == 0
	}
	due := func(d model.Delivery) bool {
		return d.Target == target && isUnclaimed(d) && !d.Due.After(now) && first(d)
	}
	return r.deliveries.changeWhere(r.txn, due, dueOrder, max(limit, 0), deliveryID, func(d *model.Delivery) { d.Node = node })
}

func (r outboxRows) Claimed(_ context.Context, org, target string) (ofTarget, ofOrg int, err error) {
	claimed := func(d model.Delivery) bool { return d.Org == org && d.Node != "" }
	return r.deliveries.count(func(d model.Delivery) bool { return claimed(d) && d.Target == target }), r.deliveries.count(claimed), nil
}

func (r outboxRows) GiveBack(_ context.Context, node string) error {
	_, err := r.deliveries.changeWhere(r.txn, func(d model.Delivery) bool { return d.Node == node && node != "" }, deliveryOrder, -1, deliveryID, func(d *model.Delivery) { d.Node = "" })
	return err
}

func (r outboxRows) MakeDue(_ context.Context, target string, now time.Time, limit int) (int64, error) {
	later := func(d model.Delivery) bool { return d.Target == target && isUnclaimed(d) && d.Due.After(now) }
	changed, err := r.deliveries.changeWhere(r.txn, later, dueOrder, max(limit, 0), deliveryID, func(d *model.Delivery) { d.Due = now })
	return int64(len(changed)), err
}

func (r outboxRows) GiveUp(_ context.Context, target string, limit int) (int64, error) {
	waiting := func(d model.Delivery) bool { return d.Target == target && d.Status == model.Waiting }
	changed, err := r.deliveries.changeWhere(r.txn, waiting, deliveryOrder, max(limit, 0), deliveryID, func(d *model.Delivery) { d.Status = model.GivenUp })
	return int64(len(changed)), err
}

func (r outboxRows) OfImport(_ context.Context, importID string) ([]model.Delivery, error) {
	order := byTime(func(d model.Delivery) time.Time { return d.Created }, func(d model.Delivery) string { return d.ID })
	list := r.deliveries.find(func(d model.Delivery) bool { return d.ImportID == importID }, order, 0, -1)
	for i := range list {
		list[i].Body = nil
	}
	return list, nil
}

func (r outboxRows) EraseImport(_ context.Context, importID string) error {
	changed, err := r.deliveries.changeWhere(r.txn, func(d model.Delivery) bool { return d.ImportID == importID }, deliveryOrder, -1, deliveryID, func(d *model.Delivery) {
		d.Body, d.URL = nil, ""
		if d.Status == model.Waiting {
			d.Status = model.GivenUp
		}
	})
	if err != nil {
		return err
	}
	return r.removeAttempts(func(id string) bool {
		return slices.ContainsFunc(changed, func(d model.Delivery) bool { return d.ID == id })
	})
}

func (r outboxRows) DeleteBefore(_ context.Context, t time.Time, limit int) (int64, error) {
	return r.removeDeliveries(func(d model.Delivery) bool { return d.Created.Before(t) && d.Status != model.Waiting }, limit)
}
