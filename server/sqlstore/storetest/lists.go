package storetest

import (
	"slices"
	"testing"

	"github.com/intraydata/intray/server/model"
)

// split returns the rows of a page and the length of its list.
func split[T any](page model.Page[T], err error) (rows []T, total int64, _ error) {
	return page.Rows, page.Total, err
}

// testCursors checks that every list can be read page by page with cursors.
func testCursors(f *fixture) {
	const rows = 5
	webhook := aWebhook(1, "org-a")
	connector := aConnector(1, "org-a")
	f.mustUpdate(func(tx model.Tx) error {
		if err := tx.Webhooks.Insert(f.ctx, webhook); err != nil {
			return err
		}
		return tx.Connectors.Insert(f.ctx, connector)
	})
	f.mustUpdate(func(tx model.Tx) error {
		for n := range rows {
			if err := f.insertListed(tx, n, webhook.ID, connector.ID); err != nil {
				return err
			}
		}
		return nil
	})
	checkCursors(f, "imports", func(tx model.Tx, p model.PageRequest) (model.Page[model.Import], error) {
		return tx.Imports.List(f.ctx, "org-a", p)
	}, func(i model.Import) string { return i.ID })
	checkCursors(f, "credentials", func(tx model.Tx, p model.PageRequest) (model.Page[model.Credential], error) {
		return tx.Credentials.List(f.ctx, "org-a", p)
	}, func(c model.Credential) string { return c.ID })
	checkCursors(f, "import links", func(tx model.Tx, p model.PageRequest) (model.Page[model.ImportLink], error) {
		return tx.ImportLinks.List(f.ctx, "org-a", p)
	}, func(l model.ImportLink) string { return l.ID })
	checkCursors(f, "learned mappings", func(tx model.Tx, p model.PageRequest) (model.Page[model.LearnedMapping], error) {
		return tx.Memory.List(f.ctx, "org-a", "crm", p)
	}, func(m model.LearnedMapping) string { return m.Text })
	checkCursors(f, "deliveries", func(tx model.Tx, p model.PageRequest) (model.Page[model.Delivery], error) {
		return tx.Deliveries.List(f.ctx, "org-a", webhook.ID, p)
	}, func(d model.Delivery) string { return d.ID })
	checkCursors(f, "results", func(tx model.Tx, p model.PageRequest) (model.Page[model.PulledFile], error) {
		return tx.Pulled.ListUploads(f.ctx, connector.ID, p)
	}, func(p model.PulledFile) string { return p.File.Path })
	checkCursors(f, "runs", func(tx model.Tx, p model.PageRequest) (model.Page[model.PullRun], error) {
		return tx.Pulls.List(f.ctx, connector.ID, p)
	}, func(p model.PullRun) string { return p.ID })
	checkCursors(f, "receipts", func(tx model.Tx, p model.PageRequest) (model.Page[model.Deletion], error) {
		return tx.Deletions.List(f.ctx, "org-a", p)
	}, func(d model.Deletion) string { return d.ID })
	checkCursors(f, "uploads", func(tx model.Tx, p model.PageRequest) (page model.Page[model.Upload], err error) {
		if page.Total, err = tx.Uploads.Count(f.ctx, "org-a", model.UploadFilter{}); err != nil {
			return page, err
		}
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", model.UploadFilter{}, p) {
			if err != nil {
				return page, err
			}
			page.Rows, page.Next = append(page.Rows, u), u.Cursor()
		}
		if int64(len(page.Rows)) < p.Limit {
			page.Next = ""
		}
		return page, nil
	}, func(u model.Upload) string { return u.ID })
	checkCursors(f, "schemas", func(tx model.Tx, p model.PageRequest) (page model.Page[model.Schema], err error) {
		page.Total = rows
		for s, err := range tx.Schemas.List(f.ctx, "org-a", p) {
			if err != nil {
				return page, err
			}
			page.Rows, page.Next = append(page.Rows, s), s.Cursor()
		}
		if int64(len(page.Rows)) < p.Limit {
			page.Next = ""
		}
		return page, nil
	}, func(s model.Schema) string { return s.ID })
}

// insertListed inserts row n of each list. Some rows were created at the same time.
func (f *fixture) insertListed(tx model.Tx, n int, webhookID, connectorID string) error {
	at := startPlus(n / 2)
	imp, upload, schema := anImport(n, "org-a", model.Successful), anUpload(n, "org-a", model.UploadProcessed), aSchema(n, "org-a", id("name", n))
	imp.Created, upload.Created, schema.Created = at, at, at
	credential, link, mapping := aCredential(n, "org-a"), anImportLink(n, "org-a"), aMemory(n, "org-a", "crm")
	credential.Created, link.Created, mapping.On = at, at, at
	delivery, receipt := aDelivery(n, webhookID, imp.ID), model.Deletion{ID: id("deletion", n), Org: "org-a", ImportID: imp.ID, Made: at}
	delivery.Created = at
	file := model.PulledFile{Org: "org-a", ConnectorID: connectorID, File: model.RemoteFile{Path: id("/in", n)}, Since: at, Put: "DONE"}
	run := model.PullRun{ID: id("run", n), ConnectorID: connectorID, Began: at}
	for _, insert := range []func() error{
		func() error { return tx.Imports.Insert(f.ctx, imp) },
		func() error { return tx.Uploads.Insert(f.ctx, upload) },
		func() error { return tx.Schemas.Insert(f.ctx, schema) },
		func() error { return tx.Credentials.Insert(f.ctx, credential) },
		func() error { return tx.ImportLinks.Insert(f.ctx, link) },
		func() error { return tx.Memory.Upsert(f.ctx, mapping) },
		func() error { return tx.Deliveries.Insert(f.ctx, delivery) },
		func() error { return tx.Deletions.Insert(f.ctx, receipt) },
		func() error { return tx.Pulled.Upsert(f.ctx, file) },
		func() error { return tx.Pulls.Insert(f.ctx, run) },
	} {
		if err := insert(); err != nil {
			return err
		}
	}
	return nil
}

// checkCursors checks that a list of five rows, read in pages of two rows with cursors, equals the
// list read at once, and that the store rejects strings that are not cursors of the list.
func checkCursors[T any](f *fixture, name string, list func(model.Tx, model.PageRequest) (model.Page[T], error), id func(T) string) {
	f.Run(name, func(t *testing.T) {
		read := func(p model.PageRequest) (page model.Page[T], ids []string) {
			t.Helper()
			if err := f.store.View(f.ctx, func(tx model.Tx) (err error) { page, err = list(tx, p); return err }); err != nil {
				t.Fatal(err)
			}
			for _, row := range page.Rows {
				ids = append(ids, id(row))
			}
			return page, ids
		}
		all, want := read(model.PageRequest{Limit: 9})
		if len(want) != 5 || all.Total != 5 || all.Next != "" {
			t.Fatalf("the whole list: %q of %d, next %q", want, all.Total, all.Next)
		}
		var got []string
		p := model.PageRequest{Offset: 0, Limit: 2}
		for range 4 {
			page, ids := read(p)
			got = append(got, ids...)
			if p.After = page.Next; p.After == "" {
				break
			}
			p.Offset = 1000 // not used with a cursor
		}
		if !slices.Equal(got, want) {
			t.Errorf("page by page: %q, want %q", got, want)
		}
		for _, cursor := range []model.Cursor{"x", "?", model.NewCursor(int64(1)), model.NewCursor("a", "b"), model.NewCursor(int64(1), "\x00")} {
			err := f.store.View(f.ctx, func(tx model.Tx) error { _, err := list(tx, model.PageRequest{Limit: 2, After: cursor}); return err })
			if !model.IsKind(err, model.Invalid) {
				t.Errorf("cursor %q: %v, want an error of kind Invalid", cursor, err)
			}
		}
	})
}
