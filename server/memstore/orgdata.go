package memstore

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/intraydata/intray/server/model"
)

type orgDataRows struct{ *txn }

func (r orgDataRows) Imports(_ context.Context, org string, limit int) (ids []string, err error) {
	for _, i := range r.imports.find(func(i importRow) bool { return i.Org == org }, importOrder, 0, max(int64(limit), 0)) {
		ids = append(ids, i.ID)
	}
	return ids, nil
}

func (r orgDataRows) Sessions(_ context.Context, org string, limit int) (ids []string, err error) {
	order := byTime(func(s sessionRow) time.Time { return s.Created }, func(s sessionRow) string { return s.ID })
	for _, s := range r.sessions.find(func(s sessionRow) bool { return s.Org == org }, order, 0, max(int64(limit), 0)) {
		ids = append(ids, s.ID)
	}
	return ids, nil
}

// removeSome deletes at most limit rows that meet a condition, and adds their number to deleted.
func removeSome[K comparable, V any](t *txn, table *rows[K, V], limit int, deleted *int64, condition func(V) bool) error {
	byKey, err := table.writable(t)
	if err != nil {
		return err
	}
	for key, row := range byKey {
		if limit > 0 && condition(row) {
			delete(byKey, key)
			limit--
			*deleted++
		}
	}
	return nil
}

func (r orgDataRows) DeleteRows(_ context.Context, org string, limit int) (deleted int64, err error) {
	ofConnector := func(id string) bool { return r.connectors.byKey[id].Org == org }
	ofDelivery := func(id string) bool { return r.deliveries.byKey[id].Org == org }
	err = errors.Join(
		removeSome(r.txn, &r.licences, limit, &deleted, func(l model.Licence) bool { return l.Org == org }),
		removeSome(r.txn, &r.links, limit, &deleted, func(l model.ImportLink) bool { return l.Org == org }),
		removeSome(r.txn, &r.replays, limit, &deleted, func(o model.Replay) bool { return o.Org == org }),
		removeSome(r.txn, &r.memory, limit, &deleted, func(m model.LearnedMapping) bool { return m.Org == org }),
		removeSome(r.txn, &r.attempts, math.MaxInt, &deleted, func(a model.Attempt) bool { return ofDelivery(a.DeliveryID) }),
		removeSome(r.txn, &r.deliveries, limit, &deleted, func(d model.Delivery) bool { return d.Org == org }),
		removeSome(r.txn, &r.webhooks, limit, &deleted, func(w model.Webhook) bool { return w.Org == org }),
		removeSome(r.txn, &r.pulled, math.MaxInt, &deleted, func(f model.PulledFile) bool { return f.Org == org }),
		removeSome(r.txn, &r.pulls, math.MaxInt, &deleted, func(p model.PullRun) bool { return ofConnector(p.ConnectorID) }),
		removeSome(r.txn, &r.connectors, limit, &deleted, func(c model.Connector) bool { return c.Org == org }),
		removeSome(r.txn, &r.credentials, limit, &deleted, func(c model.Credential) bool { return c.Org == org }),
		removeSome(r.txn, &r.retention, limit, &deleted, func(o model.Retention) bool { return o.Org == org }),
		removeSome(r.txn, &r.uploads, limit, &deleted, func(u model.Upload) bool { return u.Org == org }),
		removeSome(r.txn, &r.schemas, limit, &deleted, func(s model.Schema) bool { return s.Org == org }),
		removeSome(r.txn, &r.deletions, limit, &deleted, func(d model.Deletion) bool { return d.Org == org }),
	)
	return deleted, err
}

func (r orgDataRows) DeleteOrg(_ context.Context, org string) error {
	if r.orgs.byKey[org].State != model.OrgDeleting {
		return nil
	}
	left := r.imports.count(func(i importRow) bool { return i.Org == org }) + r.sessions.count(func(s sessionRow) bool { return s.Org == org }) +
		r.licences.count(func(l model.Licence) bool { return l.Org == org }) + r.schemas.count(func(s model.Schema) bool { return s.Org == org })
	if left > 0 {
		return ownerMissing()
	}
	return r.orgs.remove(r.txn, org, anyRow)
}
