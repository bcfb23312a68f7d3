package memstore

import (
	"cmp"
	"context"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

type credentialRows struct {
	*txn
	owned ownedRows[model.Credential]
}

func credentialOwner(c model.Credential) owner { return owner{c.Org, c.ID} }

func (r credentialRows) Insert(_ context.Context, c model.Credential) error { return r.owned.insert(c) }

func (r credentialRows) Get(_ context.Context, org, id string) (model.Credential, error) {
	return r.owned.get(org, id)
}

var credentialList = byCreation(
	reversed(byTime(func(c model.Credential) time.Time { return c.Created }, func(c model.Credential) string { return c.ID })),
	func(c model.Credential) (time.Time, string) { return c.Created, c.ID },
	func(at time.Time, id string) model.Credential { return model.Credential{Created: at, ID: id} },
)

func (r credentialRows) List(_ context.Context, org string, page model.PageRequest) (model.Page[model.Credential], error) {
	return pageOf(&r.credentials, r.owned.is(org), credentialList, page)
}

func (r credentialRows) Save(_ context.Context, c model.Credential) error {
	return r.owned.save(c, func(stored model.Credential, row *model.Credential) { row.Created = stored.Created })
}

func (r credentialRows) Delete(_ context.Context, org, id string) error {
	return r.owned.delete(org, id)
}

type connectorRows struct {
	*txn
	owned ownedRows[model.Connector]
}

func connectorOwner(c model.Connector) owner { return owner{c.Org, c.ID} }

func connectorID(c model.Connector) string { return c.ID }

func (r connectorRows) Insert(_ context.Context, c model.Connector) error {
	c.FailedUploads = 0
	return r.owned.insert(c)
}

func (r connectorRows) Get(_ context.Context, org, id string) (model.Connector, error) {
	return r.owned.get(org, id)
}

func (r connectorRows) List(_ context.Context, org string) ([]model.Connector, error) {
	order := byTime(func(c model.Connector) time.Time { return c.Created }, connectorID)
	return r.connectors.find(r.owned.is(org), order, 0, -1), nil
}

func (r connectorRows) Save(_ context.Context, c model.Connector) error {
	return r.owned.save(c, func(stored model.Connector, row *model.Connector) { row.Created, row.FailedUploads = stored.Created, 0 })
}

func (r connectorRows) Delete(_ context.Context, org, id string) error {
	if err := r.owned.delete(org, id); err != nil {
		return err
	}
	if _, err := r.pulled.removeWhere(r.txn, func(f model.PulledFile) bool { return f.ConnectorID == id }, pulledOrder, -1, keyOfPulled); err != nil {
		return err
	}
	_, err := r.pulls.removeWhere(r.txn, func(p model.PullRun) bool { return p.ConnectorID == id }, pullOrder, -1, pullID)
	return err
}

func (r connectorRows) isDue(now time.Time) func(model.Connector) bool {
	return func(c model.Connector) bool {
		return c.Node == "" && !c.Next.After(now) && r.txn.orgs.byKey[c.Org].State == model.OrgActive
	}
}

func (r connectorRows) IsDue(_ context.Context, now time.Time) (bool, error) {
	return r.connectors.count(r.isDue(now)) > 0, nil
}

func (r connectorRows) ClaimDue(_ context.Context, node string, now time.Time) (model.Connector, error) {
	order := byTime(func(c model.Connector) time.Time { return c.Next }, connectorID)
	claimed, err := r.connectors.changeWhere(r.txn, r.isDue(now), order, 1, connectorID, func(c *model.Connector) { c.Node = node })
	if err != nil || len(claimed) == 0 {
		return model.Connector{}, cmp.Or(err, notFound())
	}
	return claimed[0], nil
}

func (r connectorRows) Running(_ context.Context, org string) ([]model.Connector, error) {
	return r.connectors.find(func(c model.Connector) bool { return c.Org == org && c.Node != "" }, byKeyOrder(connectorID), 0, -1), nil
}

func (r connectorRows) GiveBack(_ context.Context, node string) error {
	_, err := r.connectors.changeWhere(r.txn, func(c model.Connector) bool { return c.Node == node }, byKeyOrder(connectorID), -1, connectorID, func(c *model.Connector) { c.Node = "" })
	return err
}

// pulledKey identifies a version of a file. changed is in microseconds.
type pulledKey struct {
	connector, path string
	size, changed   int64
}

func keyOfPulled(f model.PulledFile) pulledKey { return versionKey(f.ConnectorID, f.File) }

func versionKey(connectorID string, f model.RemoteFile) pulledKey {
	key := pulledKey{connector: connectorID, path: f.Path, size: f.Size}
	if !f.Modified.IsZero() {
		key.changed = f.Modified.UnixMicro()
	}
	return key
}

func pulledOrder(a, b model.PulledFile) int {
	return cmp.Or(cmp.Compare(a.ConnectorID, b.ConnectorID), cmp.Compare(a.File.Path, b.File.Path), cmp.Compare(a.File.Size, b.File.Size), a.File.Modified.Compare(b.File.Modified))
}

type pulledRows struct{ *txn }

func (r pulledRows) ListByConnector(_ context.Context, connectorID string) ([]model.PulledFile, error) {
	return r.pulled.find(func(f model.PulledFile) bool { return f.ConnectorID == connectorID }, pulledOrder, 0, -1), nil
}

func (r pulledRows) Get(_ context.Context, connectorID string, f model.RemoteFile) (model.PulledFile, error) {
	return r.pulled.get(versionKey(connectorID, f), anyRow)
}

func (r pulledRows) Upsert(_ context.Context, f model.PulledFile) error {
	if _, exists := r.connectors.byKey[f.ConnectorID]; !exists {
		return ownerMissing()
	}
	return r.pulled.put(r.txn, keyOfPulled(f), f)
}

func (r pulledRows) Delete(_ context.Context, connectorID string, f model.RemoteFile) error {
	return model.IgnoreKind(r.pulled.remove(r.txn, versionKey(connectorID, f), anyRow), model.NotFound)
}

func (r pulledRows) DeleteOf(_ context.Context, connectorID string, limit int) (int64, error) {
	keys, err := r.pulled.removeWhere(r.txn, func(f model.PulledFile) bool { return f.ConnectorID == connectorID }, pulledOrder, max(limit, 0), keyOfPulled)
	return int64(len(keys)), err
}

func (r pulledRows) QueueUpload(_ context.Context, importID string, due time.Time) error {
	uploads := func(f model.PulledFile) bool {
		return f.ImportID == importID && r.connectors.byKey[f.ConnectorID].PutDirectory != ""
	}
	_, err := r.pulled.changeWhere(r.txn, uploads, pulledOrder, -1, keyOfPulled, func(f *model.PulledFile) {
		f.Put, f.PutDue, f.PutTries, f.PutKind, f.PutMessage = "WAITING", due, 0, "", intray.Message{}
	})
	return err
}

func isUploadDue(now time.Time) func(model.PulledFile) bool {
	return func(f model.PulledFile) bool { return f.Put == "WAITING" && !f.PutDue.After(now) }
}

func (r pulledRows) IsUploadDue(_ context.Context, now time.Time) (bool, error) {
	return r.pulled.count(isUploadDue(now)) > 0, nil
}

func (r pulledRows) ListDueUploads(_ context.Context, now time.Time, limit int) ([]model.PulledFile, error) {
	order := func(a, b model.PulledFile) int { return cmp.Or(a.PutDue.Compare(b.PutDue), pulledOrder(a, b)) }
	return r.pulled.find(isUploadDue(now), order, 0, max(int64(limit), 0)), nil
}

var resultUploadList = listing[model.PulledFile]{
	order: func(a, b model.PulledFile) int {
		b.ConnectorID = a.ConnectorID // all rows of the list have the same, but cursors do not contain it
		return cmp.Or(b.Since.Compare(a.Since), pulledOrder(a, b))
	},
	position: func(f model.PulledFile) []any {
		return []any{f.Since.UnixMicro(), f.File.Path, f.File.Size, f.File.Modified.UnixMicro()}
	},
	at: func(p []any) model.PulledFile {
		return model.PulledFile{Since: fromMicros(p[0]), File: model.RemoteFile{Path: p[1].(string), Size: p[2].(int64), Modified: fromMicros(p[3])}}
	},
}

func (r pulledRows) ListUploads(_ context.Context, connectorID string, page model.PageRequest) (model.Page[model.PulledFile], error) {
	uploads := func(f model.PulledFile) bool { return f.ConnectorID == connectorID && f.Put != "" }
	return pageOf(&r.pulled, uploads, resultUploadList, page)
}

func (r pulledRows) CountFailedUploads(_ context.Context, org string) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, f := range r.pulled.byKey {
		if f.Org == org && f.PutKind != "" {
			counts[f.ConnectorID]++
		}
	}
	return counts, nil
}

func (r pulledRows) RetryUploads(_ context.Context, connectorID string, now, leased time.Time, limit int) (int64, error) {
	failed := func(f model.PulledFile) bool {
		return f.ConnectorID == connectorID && f.PutKind != "" && f.PutKind != model.ResultDeleted &&
			(f.Put == "FAILED" || f.Put == "WAITING" && f.PutDue.After(leased))
	}
	oldest := func(a, b model.PulledFile) int { return cmp.Or(a.Since.Compare(b.Since), pulledOrder(a, b)) }
	changed, err := r.pulled.changeWhere(r.txn, failed, oldest, max(limit, 0), keyOfPulled, func(f *model.PulledFile) {
		f.Put, f.PutDue, f.PutTries = "WAITING", now, 0
	})
	return int64(len(changed)), err
}

type pullRows struct{ *txn }

func pullID(p model.PullRun) string { return p.ID }

// pullOrder is the order of the runs of a connector, newest first.
var pullOrder = reversed(byTime(func(p model.PullRun) time.Time { return p.Began }, pullID))

func (r pullRows) Insert(_ context.Context, p model.PullRun) error {
	if _, exists := r.connectors.byKey[p.ConnectorID]; !exists {
		return ownerMissing()
	}
	return r.pulls.insert(r.txn, p.ID, p)
}

var pullList = byCreation(pullOrder,
	func(p model.PullRun) (time.Time, string) { return p.Began, p.ID },
	func(at time.Time, id string) model.PullRun { return model.PullRun{Began: at, ID: id} },
)

func (r pullRows) List(_ context.Context, connectorID string, page model.PageRequest) (model.Page[model.PullRun], error) {
	return pageOf(&r.pulls, func(p model.PullRun) bool { return p.ConnectorID == connectorID }, pullList, page)
}

func (r pullRows) Trim(_ context.Context, connectorID string, keep int) error {
	for _, p := range r.pulls.find(func(p model.PullRun) bool { return p.ConnectorID == connectorID }, pullOrder, int64(max(keep, 0)), -1) {
		if err := r.pulls.remove(r.txn, p.ID, anyRow); err != nil {
			return err
		}
	}
	return nil
}
