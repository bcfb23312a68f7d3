package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/intraydata/intray/server/model"
)

type retentionRows struct{ *txn }

func retentionKey(r model.Retention) [2]string { return [2]string{r.Org, r.SchemaID} }

func retentionOrder(a, b model.Retention) int {
	return cmp.Or(cmp.Compare(a.Org, b.Org), cmp.Compare(a.SchemaID, b.SchemaID))
}

func (r retentionRows) ListByOrg(_ context.Context, org string) ([]model.Retention, error) {
	return r.retention.find(func(p model.Retention) bool { return p.Org == org }, retentionOrder, 0, -1), nil
}

func (r retentionRows) ListAll(context.Context) ([]model.Retention, error) {
	return r.retention.find(anyRow, retentionOrder, 0, -1), nil
}

func (r retentionRows) Replace(_ context.Context, org string, list []model.Retention) error {
	if _, err := r.retention.removeWhere(r.txn, func(p model.Retention) bool { return p.Org == org }, retentionOrder, -1, retentionKey); err != nil {
		return err
	}
	for _, p := range list {
		p.Org = org
		if err := cmp.Or(r.checkOrg(org), r.retention.insert(r.txn, retentionKey(p), p)); err != nil {
			return err
		}
	}
	return nil
}

// hasPart reports whether an import still has a part.
func hasPart(i importRow, part model.KeptPart) bool {
	switch part {
	case model.Originals:
		return i.Raw.Key != ""
	case model.Results:
		return i.Result.Key != "" || i.Stage != ""
	default:
		return !i.ProblemsDropped
	}
}

func (r retentionRows) Overdue(_ context.Context, of model.Retention, part model.KeptPart, before time.Time, limit int) (ids []string, err error) {
	applies := func(i importRow) bool {
		if of.SchemaID != "" {
			return i.SchemaID == of.SchemaID
		}
		_, own := r.retention.byKey[[2]string{of.Org, i.SchemaID}]
		return !own || i.SchemaID == ""
	}
	overdue := func(i importRow) bool {
		ended := i.Status == model.Successful || i.Status == model.Failed
		return i.Org == of.Org && ended && i.Modified.Before(before) && hasPart(i, part) && applies(i)
	}
	order := byTime(func(i importRow) time.Time { return i.Modified }, importID)
	for _, i := range r.imports.find(overdue, order, 0, max(int64(limit), 0)) {
		ids = append(ids, i.ID)
	}
	return ids, nil
}

func (r retentionRows) DropProblems(_ context.Context, org, importID string) error {
	return r.imports.change(r.txn, importID, func(i importRow) bool { return i.Org == org && !i.ProblemsDropped }, func(i *importRow) { i.ProblemsDropped = true })
}

func editsUpTo(importID string, lastRun int) func(model.Edit) bool {
	return func(e model.Edit) bool { return e.ImportID == importID && e.Run <= lastRun }
}

func (r retentionRows) CountEdits(_ context.Context, importID string, lastRun, limit int) (int64, error) {
	return int64(min(r.edits.count(editsUpTo(importID, lastRun)), max(limit, 0))), nil
}

func (r retentionRows) DropEdits(_ context.Context, importID string, lastRun, limit int) (int64, error) {
	keys, err := r.edits.removeWhere(r.txn, editsUpTo(importID, lastRun), editOrder, max(limit, 0), keyOfEdit)
	return int64(len(keys)), err
}

type deletionRows struct{ *txn }

func (r deletionRows) Insert(_ context.Context, d model.Deletion) error {
	return cmp.Or(r.checkOrg(d.Org), r.deletions.insert(r.txn, d.ID, d))
}

var deletionList = byCreation(
	reversed(byTime(func(d model.Deletion) time.Time { return d.Made }, func(d model.Deletion) string { return d.ID })),
	func(d model.Deletion) (time.Time, string) { return d.Made, d.ID },
	func(at time.Time, id string) model.Deletion { return model.Deletion{Made: at, ID: id} },
)

func (r deletionRows) List(_ context.Context, org string, page model.PageRequest) (model.Page[model.Deletion], error) {
	return pageOf(&r.deletions, func(d model.Deletion) bool { return d.Org == org }, deletionList, page)
}

type ownerRows struct{ *txn }

func (r ownerRows) Run(_ context.Context, importID string) (int, error) {
	if i, exists := r.imports.byKey[importID]; exists {
		return i.Run, nil
	}
	return -1, nil
}

func (r ownerRows) Session(_ context.Context, id string) (bool, error) {
	_, exists := r.sessions.byKey[id]
	return exists, nil
}

type usageRows struct{ *txn }

// Get counts the usage of an organization.
func (r usageRows) Get(_ context.Context, org string) (model.Usage, error) {
	if _, exists := r.orgs.byKey[org]; !exists {
		return model.Usage{}, notFound()
	}
	u := model.Usage{Org: org}
	for _, i := range r.imports.byKey {
		if i.Org == org {
			countImport(&u, i.Import)
		}
	}
	for _, s := range r.sessions.byKey {
		if s.Org == org {
			u.Sessions++
			u.SessionFileBytes += sizeOf(s.File)
			u.SessionStateBytes += int64(len(s.State))
		}
	}
	u.Schemas = int64(r.schemas.count(func(s model.Schema) bool { return s.Org == org && !s.Inline }))
	u.Credentials = int64(r.credentials.count(func(c model.Credential) bool { return c.Org == org }))
	return u, nil
}

func countImport(u *model.Usage, i model.Import) {
	switch i.Status {
	case model.AwaitingUpload:
		u.AwaitingUpload++
	case model.Pending, model.Running:
		u.InProgress++
	case model.NeedsReview:
		u.NeedsReview++
	case model.Successful:
		u.Successful++
	case model.Failed:
		u.Failed++
	}
	u.FileBytes += sizeOf(i.Raw) + sizeOf(i.Result)
}

func sizeOf(f model.File) int64 {
	if f.Key == "" {
		return 0
	}
	return f.Size
}

func (r usageRows) List(ctx context.Context) (list []model.Usage, err error) {
	for _, o := range r.orgs.find(anyRow, byKeyOrder(func(o orgRow) string { return o.ID }), 0, -1) {
		u, err := r.Get(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		list = append(list, u)
	}
	return list, nil
}

func (r usageRows) Backlog(context.Context) (b model.Backlog, err error) {
	for _, i := range r.imports.byKey {
		switch i.Status {
		case model.AwaitingUpload:
			b.AwaitingSince = earliest(b.AwaitingSince, i.Created)
		case model.Running:
			b.Running++
			b.RunningSince = earliest(b.RunningSince, i.Modified)
		case model.Pending:
			b.Pending++
			b.Oldest = earliest(b.Oldest, i.Queued)
		case model.NeedsReview:
			b.ReviewSince = earliest(b.ReviewSince, i.Created)
		}
	}
	for _, d := range r.deliveries.byKey {
		if d.Status == model.Waiting {
			b.DeliveriesSince = earliest(b.DeliveriesSince, d.Created)
		}
	}
	b.Deliveries = int64(r.deliveries.count(isUnclaimed))
	b.FailingWebhooks = int64(r.webhooks.count(func(w model.Webhook) bool { return w.Enabled && w.FailureStreak.Failures > 0 }))
	b.FailingConnectors = int64(r.connectors.count(func(c model.Connector) bool { return c.Failures > 0 }))
	b.FailingUploads = int64(r.pulled.count(func(f model.PulledFile) bool { return f.PutKind != "" }))
	return b, nil
}

// earliest returns the earlier of two times. Zero means that there is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

type trashRows struct{ *txn }

func (r trashRows) Schedule(_ context.Context, t model.Trash) error {
	if stored, exists := r.trash.byKey[t.Prefix]; exists && stored.Due.After(t.Due) {
		t.Due = stored.Due
	}
	return r.trash.put(r.txn, t.Prefix, t)
}

func (r trashRows) ListDue(_ context.Context, now time.Time, limit int) ([]model.Trash, error) {
	order := byTime(func(t model.Trash) time.Time { return t.Due }, func(t model.Trash) string { return t.Prefix })
	return r.trash.find(func(t model.Trash) bool { return !t.Due.After(now) }, order, 0, max(int64(limit), 0)), nil
}

func (r trashRows) Remove(_ context.Context, prefix string) error {
	return model.IgnoreKind(r.trash.remove(r.txn, prefix, anyRow), model.NotFound)
}

type nodeRows struct{ *txn }

func (r nodeRows) Heartbeat(_ context.Context, beat model.Heartbeat) (time.Time, error) {
	now := r.db.now()
	row := model.Node{Heartbeat: beat, Started: now, Last: now}
	if before, exists := r.nodes.byKey[beat.ID]; exists {
		row.Started = before.Started
	}
	return now, r.nodes.put(r.txn, beat.ID, row)
}

func (r nodeRows) Describe(context.Context) ([]model.Node, error) {
	list := r.nodes.find(anyRow, byKeyOrder(func(n model.Node) string { return n.ID }), 0, -1)
	for i := range list {
		n := &list[i]
		n.Silent = r.db.now().Sub(n.Last)
		n.Connectors = int64(r.connectors.count(func(c model.Connector) bool { return c.Node == n.ID }))
		n.Deliveries = int64(r.deliveries.count(func(d model.Delivery) bool { return d.Node == n.ID }))
	}
	return list, nil
}

func (r nodeRows) OOMKills(_ context.Context, node string) (model.OOMKills, error) {
	row, err := r.nodes.get(node, anyRow)
	return row.Kills, err
}

// ids returns the ids of the nodes that meet a condition.
func (r nodeRows) ids(condition func(model.Node) bool) (ids []string) {
	for id, row := range r.nodes.byKey {
		if condition(row) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (r nodeRows) Silent(_ context.Context, after time.Duration) ([]string, error) {
	last := r.db.now().Add(-after)
	silent := r.ids(func(n model.Node) bool { return !n.Last.After(last) })
	claimed := func(node string) {
		if _, exists := r.nodes.byKey[node]; !exists && node != "" {
			silent = append(silent, node)
		}
	}
	for _, i := range r.imports.byKey {
		if i.Status == model.Running {
			claimed(i.Node)
		}
	}
	for _, d := range r.deliveries.byKey {
		claimed(d.Node)
	}
	for _, c := range r.connectors.byKey {
		claimed(c.Node)
	}
	slices.Sort(silent)
	return slices.Compact(silent), nil
}

func (r nodeRows) List(context.Context) ([]string, error) { return r.ids(anyRow), nil }

func (r nodeRows) Remove(_ context.Context, node string) error {
	if err := r.reclaimJobs(node); err != nil {
		return err
	}
	return model.IgnoreKind(r.nodes.remove(r.txn, node, anyRow), model.NotFound)
}

func (r nodeRows) EnsureMark(_ context.Context, name, fresh string) (string, error) {
	mark, exists := r.marks.byKey[name]
	if exists || fresh == "" {
		return mark, nil
	}
	return fresh, r.marks.put(r.txn, name, fresh)
}
