package memstore

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/intraydata/intray/server/model"
)

type schemaRows struct{ *txn }

func (r schemaRows) owned() ownedRows[model.Schema] {
	return ownedRows[model.Schema]{r.txn, &r.schemas, func(s model.Schema) owner { return owner{s.Org, s.ID} }}
}

// isTaken reports whether another saved schema of the organization has the name.
func (r schemaRows) isTaken(org, name, except string) bool {
	return r.schemas.count(func(s model.Schema) bool { return s.Org == org && s.Name == name && s.ID != except && !s.Inline }) > 0
}

func (r schemaRows) Insert(_ context.Context, s model.Schema) error {
	if !s.Inline && r.isTaken(s.Org, s.Name, s.ID) {
		return alreadyExists()
	}
	return r.owned().insert(s)
}

func (r schemaRows) Get(_ context.Context, org, id string) (model.Schema, error) {
	return r.owned().get(org, id)
}

var schemaOrder = byTime(func(s model.Schema) time.Time { return s.Created }, func(s model.Schema) string { return s.ID })

var schemaList = byCreation(schemaOrder,
	func(s model.Schema) (time.Time, string) { return s.Created, s.ID },
	func(at time.Time, id string) model.Schema { return model.Schema{Created: at, ID: id} },
)

func (r schemaRows) List(_ context.Context, org string, page model.PageRequest) iter.Seq2[model.Schema, error] {
	return streamPage(&r.schemas, func(s model.Schema) bool { return s.Org == org && !s.Inline }, schemaList, page)
}

// stream yields the rows of a list.
func stream[V any](list []V) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (r schemaRows) IDByName(_ context.Context, org, name string) (string, error) {
	for _, s := range r.schemas.find(func(s model.Schema) bool { return s.Org == org && s.Name == name && !s.Inline }, schemaOrder, 0, 1) {
		return s.ID, nil
	}
	return "", notFound()
}

func (r schemaRows) SavedIDs(_ context.Context, org string, ids []string) (found []string, err error) {
	for _, s := range r.schemas.find(func(s model.Schema) bool { return s.Org == org && !s.Inline && slices.Contains(ids, s.ID) }, schemaOrder, 0, -1) {
		found = append(found, s.ID)
	}
	return found, nil
}

func (r schemaRows) Replace(ctx context.Context, s model.Schema) error {
	if _, err := r.Get(ctx, s.Org, s.ID); err != nil {
		return err
	}
	if r.isTaken(s.Org, s.Name, s.ID) {
		return alreadyExists()
	}
	return r.owned().save(s, func(stored model.Schema, row *model.Schema) {
		row.Inline, row.Created, row.Document.Extensions = stored.Inline, stored.Created, stored.Document.Extensions
	})
}

func (r schemaRows) SetExtensions(_ context.Context, org, id string, extensions json.RawMessage, modified time.Time) error {
	return r.schemas.change(r.txn, id, r.owned().is(org), func(s *model.Schema) {
		s.Document.Extensions, s.Modified = extensions, modified
	})
}

func (r schemaRows) Delete(_ context.Context, org, id string) error { return r.owned().delete(org, id) }

type linkRows struct {
	*txn
	owned ownedRows[model.ImportLink]
}

func linkOwner(l model.ImportLink) owner { return owner{l.Org, l.ID} }

func (r linkRows) Insert(_ context.Context, l model.ImportLink) error { return r.owned.insert(l) }

func (r linkRows) Get(_ context.Context, org, id string) (model.ImportLink, error) {
	return r.owned.get(org, id)
}

func (r linkRows) Find(_ context.Context, id string) (model.ImportLink, error) {
	return r.links.get(id, anyRow)
}

var linkOrder = reversed(byTime(func(l model.ImportLink) time.Time { return l.Created }, func(l model.ImportLink) string { return l.ID }))

var linkList = byCreation(linkOrder,
	func(l model.ImportLink) (time.Time, string) { return l.Created, l.ID },
	func(at time.Time, id string) model.ImportLink { return model.ImportLink{Created: at, ID: id} },
)

func (r linkRows) List(_ context.Context, org string, page model.PageRequest) (model.Page[model.ImportLink], error) {
	return pageOf(&r.links, r.owned.is(org), linkList, page)
}

func (r linkRows) Save(_ context.Context, l model.ImportLink) error {
	return r.owned.save(l, func(stored model.ImportLink, row *model.ImportLink) { row.Created = stored.Created })
}

func (r linkRows) Delete(_ context.Context, org, id string) error {
	if err := r.owned.delete(org, id); err != nil {
		return err
	}
	return model.IgnoreKind(r.logos.remove(r.txn, id, anyRow), model.NotFound)
}

// isOf returns a condition that a logo meets if its link belongs to an organization.
func (r linkRows) isOf(org, id string) func(model.Logo) bool {
	return func(model.Logo) bool { return r.links.byKey[id].Org == org }
}

func (r linkRows) Logo(_ context.Context, org, id string) (model.Logo, error) {
	return r.logos.get(id, r.isOf(org, id))
}

func (r linkRows) SaveLogo(_ context.Context, org, id string, logo model.Logo) error {
	if r.links.byKey[id].Org != org {
		return ownerMissing()
	}
	return r.logos.put(r.txn, id, logo)
}

func (r linkRows) DeleteLogo(_ context.Context, org, id string) error {
	return model.IgnoreKind(r.logos.remove(r.txn, id, r.isOf(org, id)), model.NotFound)
}
