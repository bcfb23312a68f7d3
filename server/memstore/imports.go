package memstore

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// importRow is an import. ProblemsDropped is set if its problems were deleted.
type importRow struct {
	model.Import
	ProblemsDropped bool
}

type importRows struct{ *txn }

func (t *txn) ownedImports() ownedRows[importRow] {
	return ownedRows[importRow]{t, &t.imports, func(i importRow) owner { return owner{i.Org, i.ID} }}
}

func importID(i importRow) string { return i.ID }

func (r importRows) Insert(_ context.Context, imp model.Import) error {
	return r.ownedImports().insert(importRow{Import: imp})
}

func (r importRows) Get(_ context.Context, org, id string) (model.Import, error) {
	row, err := r.ownedImports().get(org, id)
	return row.Import, err
}

var importOrder = byTime(func(i importRow) time.Time { return i.Created }, importID)

var importList = byCreation(reversed(importOrder),
	func(i importRow) (time.Time, string) { return i.Created, i.ID },
	func(at time.Time, id string) importRow { return importRow{Import: model.Import{Created: at, ID: id}} },
)

func (r importRows) List(_ context.Context, org string, page model.PageRequest) (list model.Page[model.Import], err error) {
	found, err := pageOf(&r.imports, func(i importRow) bool { return i.Org == org && i.Sync == "" }, importList, page)
	for _, row := range found.Rows {
		row.Schema, row.Outcome, row.Answers, row.Memory = model.Document{}, nil, nil, nil
		list.Rows = append(list.Rows, row.Import)
	}
	list.Total, list.Next = found.Total, found.Next
	return list, err
}

func (r importRows) UpdateIf(_ context.Context, imp model.Import, from model.Status, run int) error {
	current := func(i importRow) bool { return i.Org == imp.Org && i.Status == from && i.Run == run }
	err := r.imports.change(r.txn, imp.ID, current, func(i *importRow) {
		stored := i.Import
		i.Import = imp
		i.SchemaID, i.UploadID, i.Inline, i.LinkID, i.Sync, i.Seen = stored.SchemaID, stored.UploadID, stored.Inline, stored.LinkID, stored.Sync, stored.Seen
		i.PageHooks, i.SessionID, i.Created, i.Review, i.Schema = stored.PageHooks, stored.SessionID, stored.Created, stored.Review, stored.Schema
	})
	if model.IsKind(err, model.NotFound) {
		return model.NewError(model.Conflict, "import_changed", intray.NewMessage("import.changed_meanwhile", nil))
	}
	return err
}

// Delete deletes an import and its edits.
func (r importRows) Delete(_ context.Context, org, id string) error {
	if err := r.ownedImports().delete(org, id); err != nil {
		return err
	}
	_, err := r.edits.removeWhere(r.txn, func(e model.Edit) bool { return e.ImportID == id }, editOrder, -1, keyOfEdit)
	return err
}

func (r importRows) SetReviewLink(_ context.Context, org, id string, link model.ReviewLink) error {
	return r.imports.change(r.txn, id, r.ownedImports().is(org), func(i *importRow) { i.Review = link })
}

func (r importRows) InStatus(_ context.Context, status model.Status, node string, limit int) ([]model.ImportRef, error) {
	return refs(r.imports.find(func(i importRow) bool { return i.Status == status && (node == "" || i.Node == node) }, importOrder, 0, max(int64(limit), 0))), nil
}

func (r importRows) After(_ context.Context, id string, limit int) ([]model.ImportRef, error) {
	order := func(a, b importRow) int { return cmp.Compare(a.ID, b.ID) }
	return refs(r.imports.find(func(i importRow) bool { return i.ID > id }, order, 0, max(int64(limit), 0))), nil
}

func (r importRows) Select(_ context.Context, f model.ImportFilter, limit int) ([]model.ImportRef, error) {
	matches := func(i importRow) bool {
		return (f.ID == "" || i.ID == f.ID) && (f.Org == "" || i.Org == f.Org) && (f.Status == "" || i.Status == f.Status) && (f.Before.IsZero() || i.Created.Before(f.Before))
	}
	return refs(r.imports.find(matches, reversed(importOrder), 0, max(int64(limit), 0))), nil
}

func refs(list []importRow) (refs []model.ImportRef) {
	for _, i := range list {
		refs = append(refs, model.ImportRef{Org: i.Org, ID: i.ID, Run: i.Run})
	}
	return refs
}

func (r importRows) IsDue(_ context.Context, now time.Time) (bool, error) {
	return r.imports.count(func(i importRow) bool { return isWaiting(i, now) }) > 0, nil
}

func (r importRows) Claim(_ context.Context, node string, limits model.RunLimits, now time.Time) (model.Import, error) {
	org, found := r.nextOrg(node, limits, now)
	if !found {
		return model.Import{}, notFound()
	}
	order := byTime(func(i importRow) time.Time { return i.Queued }, importID)
	next := r.imports.find(func(i importRow) bool { return i.Org == org.ID && isWaiting(i, now) }, order, 0, 1)[0]
	blocked := func(i importRow) bool {
		return i.Status == model.Running && i.Node == node && (i.Alone || next.Alone)
	}
	if r.imports.count(blocked) > 0 {
		return model.Import{}, notFound()
	}
	next.Status, next.Node, next.Modified = model.Running, node, now
	next.Run++
	if err := r.imports.put(r.txn, next.ID, next); err != nil {
		return model.Import{}, err
	}
	// Like sqlstore, so that each organization is served at a different time.
	served := now.UnixMicro()
	for _, o := range r.orgs.byKey {
		served = max(served, o.Served+1)
	}
	return clone(next.Import), r.orgs.change(r.txn, org.ID, anyRow, func(o *orgRow) { o.Served = served })
}

func isWaiting(i importRow, now time.Time) bool {
	return i.Status == model.Pending && !i.Queued.After(now)
}

// nextOrg returns the organization whose import is claimed next.
func (r importRows) nextOrg(node string, limits model.RunLimits, now time.Time) (orgRow, bool) {
	mayClaim := func(o orgRow) bool {
		waiting, running, here := 0, 0, 0
		for _, i := range r.imports.byKey {
			switch {
			case i.Org != o.ID:
			case isWaiting(i, now):
				waiting++
			case i.Status == model.Running:
				running++
				if i.Node == node {
					here++
				}
			}
		}
		return o.State == model.OrgActive && waiting > 0 && running < limits.PerOrg && (here < limits.PerOrgAndNode || len(r.orgs.byKey) == 1)
	}
	order := func(a, b orgRow) int { return cmp.Or(cmp.Compare(a.Served, b.Served), orgOrder(a, b)) }
	for _, o := range r.orgs.find(mayClaim, order, 0, 1) {
		return o, true
	}
	return orgRow{}, false
}

type embeddedRows struct{ *txn }

func (r embeddedRows) Touch(_ context.Context, org, id string, seen time.Time) error {
	return r.imports.change(r.txn, id, func(i importRow) bool { return i.Org == org && !i.Seen.IsZero() }, func(i *importRow) { i.Seen = seen })
}

func (r embeddedRows) Release(_ context.Context, org, id string) error {
	return model.IgnoreKind(r.imports.change(r.txn, id, r.ownedImports().is(org), func(i *importRow) {
		i.Sync, i.Seen = model.SyncDisabled, time.Time{}
	}), model.NotFound)
}

func (r embeddedRows) Abandoned(_ context.Context, t time.Time, limit int) ([]model.ImportRef, error) {
	return refs(r.imports.find(func(i importRow) bool {
		return i.Status == model.AwaitingUpload && (i.LinkID != "" || i.Sync == model.SyncFull) && i.Created.Before(t)
	}, importOrder, 0, max(int64(limit), 0))), nil
}

func (r embeddedRows) Unseen(_ context.Context, t time.Time, limit int) ([]model.ImportRef, error) {
	order := byTime(func(i importRow) time.Time { return i.Seen }, importID)
	return refs(r.imports.find(func(i importRow) bool { return i.IsEphemeral() && i.Seen.Before(t) }, order, 0, max(int64(limit), 0))), nil
}

type uploadRows struct{ *txn }

func (r uploadRows) owned() ownedRows[model.Upload] {
	return ownedRows[model.Upload]{r.txn, &r.uploads, func(u model.Upload) owner { return owner{u.Org, u.ID} }}
}

func (r uploadRows) Insert(_ context.Context, u model.Upload) error { return r.owned().insert(u) }

func (r uploadRows) Get(_ context.Context, org, id string) (model.Upload, error) {
	return r.owned().get(org, id)
}

func (r uploadRows) Save(_ context.Context, u model.Upload) error {
	return r.owned().save(u, func(stored model.Upload, row *model.Upload) {
		row.ImportID, row.ImportIdentifier, row.Created = stored.ImportID, stored.ImportIdentifier, stored.Created
	})
}

func (r uploadRows) Delete(_ context.Context, org, id string) error { return r.owned().delete(org, id) }

// processed returns a condition that the processed uploads of an organization meet that match a filter.
func processed(org string, f model.UploadFilter) func(model.Upload) bool {
	return func(u model.Upload) bool {
		return u.Org == org && u.Status == model.UploadProcessed &&
			(f.From.IsZero() || !u.Created.Before(f.From)) && (f.To.IsZero() || !u.Created.After(f.To))
	}
}

func (r uploadRows) Count(_ context.Context, org string, f model.UploadFilter) (int64, error) {
	return int64(r.uploads.count(processed(org, f))), nil
}

var uploadList = byCreation(
	reversed(byTime(func(u model.Upload) time.Time { return u.Created }, func(u model.Upload) string { return u.ID })),
	func(u model.Upload) (time.Time, string) { return u.Created, u.ID },
	func(at time.Time, id string) model.Upload { return model.Upload{Created: at, ID: id} },
)

func (r uploadRows) Processed(_ context.Context, org string, f model.UploadFilter, page model.PageRequest) iter.Seq2[model.Upload, error] {
	return func(yield func(model.Upload, error) bool) {
		for u, err := range streamPage(&r.uploads, processed(org, f), uploadList, page) {
			u.Problems = u.Problems.Listed()
			if !yield(u, err) {
				return
			}
		}
	}
}

func (r uploadRows) Unfinished(_ context.Context, org string, since time.Time) (sum int64, err error) {
	for _, u := range r.uploads.byKey {
		if u.Org == org && u.Status == model.UploadPending && u.Created.After(since) && u.Raw.Key != "" {
			sum += u.Raw.Size
		}
	}
	return sum, nil
}
