package servertest

import (
	"context"

	"github.com/intraydata/intray/server/model"
)

type importLinksFaults struct {
	model.ImportLinkRows
	faults *Faults
}

func (rows importLinksFaults) Insert(ctx context.Context, l model.ImportLink) error {
	return Call(rows.faults, "ImportLinks.Insert", func() error { return rows.ImportLinkRows.Insert(ctx, l) })
}

func (rows importLinksFaults) Get(ctx context.Context, org, id string) (model.ImportLink, error) {
	return Get(rows.faults, "ImportLinks.Get", func() (model.ImportLink, error) { return rows.ImportLinkRows.Get(ctx, org, id) })
}

func (rows importLinksFaults) Find(ctx context.Context, id string) (model.ImportLink, error) {
	return Get(rows.faults, "ImportLinks.Find", func() (model.ImportLink, error) { return rows.ImportLinkRows.Find(ctx, id) })
}

func (rows importLinksFaults) Save(ctx context.Context, l model.ImportLink) error {
	return Call(rows.faults, "ImportLinks.Save", func() error { return rows.ImportLinkRows.Save(ctx, l) })
}

func (rows importLinksFaults) Delete(ctx context.Context, org, id string) error {
	return Call(rows.faults, "ImportLinks.Delete", func() error { return rows.ImportLinkRows.Delete(ctx, org, id) })
}

func (rows importLinksFaults) Logo(ctx context.Context, org, id string) (model.Logo, error) {
	return Get(rows.faults, "ImportLinks.Logo", func() (model.Logo, error) { return rows.ImportLinkRows.Logo(ctx, org, id) })
}

func (rows importLinksFaults) SaveLogo(ctx context.Context, org, id string, logo model.Logo) error {
	return Call(rows.faults, "ImportLinks.SaveLogo", func() error { return rows.ImportLinkRows.SaveLogo(ctx, org, id, logo) })
}

func (rows importLinksFaults) DeleteLogo(ctx context.Context, org, id string) error {
	return Call(rows.faults, "ImportLinks.DeleteLogo", func() error { return rows.ImportLinkRows.DeleteLogo(ctx, org, id) })
}

func (rows importLinksFaults) List(ctx context.Context, org string, page model.PageRequest) (model.Page[model.ImportLink], error) {
	return Get(rows.faults, "ImportLinks.List", func() (model.Page[model.ImportLink], error) { return rows.ImportLinkRows.List(ctx, org, page) })
}
