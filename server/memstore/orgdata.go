package memstore

import (
	"context"
	"errors"
	"maps"
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

// orgTable is a table with rows of an organization.
type orgTable interface {
	count() int
	// removeSome deletes at most limit rows of the organization, and returns their number.
	removeSome(limit int) (int64, error)
}

// ownedTable implements orgTable.
type ownedTable[K comparable, V any] struct {
	txn  *txn
	rows *rows[K, V]
	// owned is a condition that the rows of the organization meet.
	owned func(V) bool
	// removable is a further condition that rows must meet to be deleted, or nil.
	removable func(V) bool
}

func (o ownedTable[K, V]) count() int { return o.rows.count(o.owned) }

func (o ownedTable[K, V]) removeSome(limit int) (deleted int64, err error) {
	byKey, err := o.rows.writable(o.txn)
	if err != nil {
		return 0, err
	}
	for key, row := range byKey {
		if deleted < int64(limit) && o.owned(row) && (o.removable == nil || o.removable(row)) {
			delete(byKey, key)
			deleted++
		}
	}
	return deleted, nil
}

// orgTables returns the tables from which DeleteRows deletes.
func (r orgDataRows) orgTables(org string) []orgTable {
	t := r.txn
	return []orgTable{
		ownedTable[string, model.Licence]{t, &r.licences, func(l model.Licence) bool { return l.Org == org }, nil},
		ownedTable[string, model.ImportLink]{t, &r.links, func(l model.ImportLink) bool { return l.Org == org }, nil},
		ownedTable[[2]string, model.Replay]{t, &r.replays, func(o model.Replay) bool { return o.Org == org }, nil},
		ownedTable[memoryKey, model.LearnedMapping]{t, &r.memory, func(m model.LearnedMapping) bool { return m.Org == org }, nil},
		ownedTable[string, model.Delivery]{t, &r.deliveries, func(d model.Delivery) bool { return d.Org == org }, nil},
		ownedTable[string, model.Webhook]{t, &r.webhooks, func(w model.Webhook) bool { return w.Org == org }, nil},
		ownedTable[pulledKey, model.PulledFile]{t, &r.pulled, func(f model.PulledFile) bool { return f.Org == org }, nil},
		ownedTable[string, model.Connector]{t, &r.connectors, func(c model.Connector) bool { return c.Org == org }, func(c model.Connector) bool {
			return r.pulled.count(func(f model.PulledFile) bool { return f.ConnectorID == c.ID }) == 0
		}},
		ownedTable[string, model.Credential]{t, &r.credentials, func(c model.Credential) bool { return c.Org == org }, nil},
		ownedTable[[2]string, model.Retention]{t, &r.retention, func(o model.Retention) bool { return o.Org == org }, nil},
		ownedTable[string, model.Upload]{t, &r.uploads, func(u model.Upload) bool { return u.Org == org }, nil},
		ownedTable[string, model.Schema]{t, &r.schemas, func(s model.Schema) bool { return s.Org == org }, nil},
		ownedTable[string, model.Deletion]{t, &r.deletions, func(d model.Deletion) bool { return d.Org == org }, nil},
	}
}

func (r orgDataRows) DeleteRows(_ context.Context, org string, limit int) (deleted int64, err error) {
	if r.orgs.byKey[org].State != model.OrgDeleting {
		return 0, nil
	}
	for _, table := range r.orgTables(org) {
		n, err := table.removeSome(limit)
		if err != nil {
			return deleted, err
		}
		deleted += n
	}
	return deleted, errors.Join(
		removeOrphans(r.txn, &r.logos, func(link string, _ model.Logo) string { return link }, &r.links),
		removeOrphans(r.txn, &r.attempts, func(_ attemptKey, a model.Attempt) string { return a.DeliveryID }, &r.deliveries),
		removeOrphans(r.txn, &r.pulls, func(_ string, p model.PullRun) string { return p.ConnectorID }, &r.connectors),
	)
}

// removeOrphans deletes the rows whose parent does not exist.
func removeOrphans[K comparable, V, P any](t *txn, table *rows[K, V], parent func(K, V) string, parents *rows[string, P]) error {
	byKey, err := table.writable(t)
	if err == nil {
		maps.DeleteFunc(byKey, func(key K, row V) bool {
			_, exists := parents.byKey[parent(key, row)]
			return !exists
		})
	}
	return err
}

func (r orgDataRows) DeleteOrg(_ context.Context, org string) error {
	if r.orgs.byKey[org].State != model.OrgDeleting {
		return nil
	}
	left := r.imports.count(func(i importRow) bool { return i.Org == org }) + r.sessions.count(func(s sessionRow) bool { return s.Org == org })
	for _, table := range r.orgTables(org) {
		left += table.count()
	}
	if left > 0 {
		return ownerMissing()
	}
	return r.orgs.remove(r.txn, org, anyRow)
}
