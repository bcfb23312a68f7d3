package storetest

import (
	"encoding/json"

	"github.com/intraydata/intray/server/model"
)

func anImportLink(n int, org string) model.ImportLink {
	return model.ImportLink{
		ID: id("import link", n), Org: org, SchemaID: "s", Name: "n", Page: json.RawMessage(`{"title":"T"}`), Expires: startPlus(n + 10),
		MaxUses: 3, MaxBytes: 4, Password: []byte{0, 1, 255}, Version: 1, HasUser: true, User: model.User{ID: "u"}, LogoSHA256: "x",
		Created: startPlus(n), Modified: startPlus(n),
	}
}

func testImportLinks(f *fixture) {
	f.mustUpdate(func(tx model.Tx) error {
		for n := range 6 {
			if err := tx.ImportLinks.Insert(f.ctx, anImportLink(n, []string{"org-a", "org-b"}[n%2])); err != nil {
				return err
			}
		}
		return nil
	})
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.ImportLinks.Insert(f.ctx, anImportLink(1, "org-a")) })
	f.mustView(func(tx model.Tx) error {
		got, total, err := split(tx.ImportLinks.List(f.ctx, "org-a", model.PageRequest{Offset: 1, Limit: 5}))
		f.wantEqual(total, int64(3))
		f.wantEqual(got, []model.ImportLink{anImportLink(2, "org-a"), anImportLink(0, "org-a")})
		return err
	})
	f.wantEqual(read(f, func(tx model.Tx) (model.ImportLink, error) { return tx.ImportLinks.Find(f.ctx, id("import link", 1)) }), anImportLink(1, "org-b"))
	f.wantNotFound(func(tx model.Tx) error {
		_, err := tx.ImportLinks.Get(f.ctx, "org-a", id("import link", 1))
		return err
	})

	want := model.ImportLink{
		ID: id("import link", 2), Org: "org-a", SchemaID: "s2", Page: json.RawMessage(`{}`), MaxUses: 5, Uses: 2, MaxBytes: 9, Bytes: 7, Version: 2,
		Created: startPlus(2), Modified: startPlus(60),
	}
	asked := want
	asked.Created = startPlus(99)
	f.mustUpdate(func(tx model.Tx) error { return tx.ImportLinks.Save(f.ctx, asked) })
	f.wantEqual(read(f, func(tx model.Tx) (model.ImportLink, error) { return tx.ImportLinks.Get(f.ctx, "org-a", want.ID) }), want)
	testLogos(f, want.ID)

	f.mustUpdate(func(tx model.Tx) error { return tx.ImportLinks.Delete(f.ctx, "org-a", want.ID) })
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.ImportLinks.Find(f.ctx, want.ID); return err })
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.ImportLinks.Logo(f.ctx, "org-a", want.ID); return err })
}

func testLogos(f *fixture, link string) {
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.ImportLinks.Logo(f.ctx, "org-a", link); return err })
	f.mustUpdate(func(tx model.Tx) error { return tx.ImportLinks.DeleteLogo(f.ctx, "org-a", link) })
	for _, logo := range []model.Logo{{MediaType: "image/png", SHA256: "a", Content: []byte{1}}, {MediaType: "image/webp", SHA256: "b", Content: []byte{0, 2}}} {
		f.mustUpdate(func(tx model.Tx) error { return tx.ImportLinks.SaveLogo(f.ctx, "org-a", link, logo) })
		f.wantEqual(read(f, func(tx model.Tx) (model.Logo, error) { return tx.ImportLinks.Logo(f.ctx, "org-a", link) }), logo)
	}
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.ImportLinks.Logo(f.ctx, "org-b", link); return err })
	f.mustUpdate(func(tx model.Tx) error { return tx.ImportLinks.DeleteLogo(f.ctx, "org-a", link) })
	f.wantNotFound(func(tx model.Tx) error { _, err := tx.ImportLinks.Logo(f.ctx, "org-a", link); return err })
	f.mustUpdate(func(tx model.Tx) error {
		return tx.ImportLinks.SaveLogo(f.ctx, "org-a", link, model.Logo{MediaType: "image/png", SHA256: "c", Content: []byte{3}})
	})
}
