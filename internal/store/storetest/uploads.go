package storetest

import (
	"errors"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

func anUpload(n int, org string, status service.UploadStatus) service.Upload {
	return service.Upload{
		ID: id("upload", n), Org: org, ImportID: id("import", n), ImportIdentifier: "contacts",
		Filename: "a.csv", User: service.User{Name: "Ada"}, Status: status, Created: after(n),
	}
}

func anAccount(rows, errs int) service.Account {
	var a service.Account
	for n := range rows {
		a.InvalidRows = append(a.InvalidRows, int64(n))
	}
	for n := range errs {
		row := int64(n)
		a.Errors = append(a.Errors, intray.Notice{Type: intray.Validation, Row: &row, Text: intray.Literal("wrong")})
	}
	return a
}

func (f *fixture) insertUploads(all ...service.Upload) {
	f.Helper()
	f.update(func(tx service.Tx) error {
		for _, u := range all {
			if err := tx.Uploads.Insert(f.ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) upload(org, id string) func(service.Tx) (service.Upload, error) {
	return func(tx service.Tx) (service.Upload, error) { return tx.Uploads.Get(f.ctx, org, id) }
}

func testUploads(f *fixture) {
	bare := service.Upload{ID: "bare", Org: "org-a", Status: service.UploadPending}
	before := anUpload(1, "org-a", service.UploadProcessing)
	f.insertUploads(bare, before)
	f.same(read(f, f.upload("org-a", "bare")), bare)
	f.same(read(f, f.upload("org-a", before.ID)), before)
	f.refused(service.Conflict, func(tx service.Tx) error { return tx.Uploads.Insert(f.ctx, bare) })

	want := before
	want.Filename, want.Status, want.TotalRows = "b.csv", service.UploadProcessed, 1<<33
	want.Raw, want.Result = service.File{Key: "k", Size: 1 << 34, SHA256: "s"}, service.File{Key: "l", Size: 2, SHA256: "t"}
	want.FieldOrder, want.Account, want.User = []string{"b", "a"}, anAccount(3, 2), service.User{ID: "8", Name: "Bo"}
	asked := want
	asked.ImportID, asked.ImportIdentifier, asked.Created = "x", "x", after(99)
	f.update(func(tx service.Tx) error { return tx.Uploads.Save(f.ctx, asked) })
	f.same(read(f, f.upload("org-a", before.ID)), want)

	f.update(func(tx service.Tx) error { return tx.Uploads.Delete(f.ctx, "org-a", before.ID) })
	f.missing(func(tx service.Tx) error { _, err := f.upload("org-a", before.ID)(tx); return err })
}

// processed gives the ids of a window.
func (f *fixture) processed(filter service.UploadFilter, start, end int64) (ids []string) {
	f.Helper()
	f.view(func(tx service.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", filter, start, end) {
			if err != nil {
				return err
			}
			ids = append(ids, u.ID)
		}
		return nil
	})
	return ids
}

func testUploadsProcessed(f *fixture) {
	var all []string
	for n := range 6 {
		u := anUpload(n, "org-a", service.UploadProcessed)
		u.Created = after(n / 2)
		f.insertUploads(u, anUpload(n+100, "org-b", service.UploadProcessed), anUpload(n+200, "org-a", service.UploadFailed))
		all = append([]string{u.ID}, all...)
	}
	from, to := service.UploadFilter{From: after(1)}, service.UploadFilter{To: after(1)}
	for _, c := range []struct {
		name       string
		filter     service.UploadFilter
		start, end int64
		want       []string
		count      int64
	}{
		{"all", service.UploadFilter{}, 0, 100, all, 6},
		{"window", service.UploadFilter{}, 1, 4, all[1:4], 6},
		{"empty window", service.UploadFilter{}, 2, 2, nil, 6},
		{"past the end", service.UploadFilter{}, 6, 9, nil, 6},
		{"from", from, 0, 100, all[:4], 4},
		{"to", to, 0, 100, all[2:], 4},
		{"both", service.UploadFilter{From: after(1), To: after(1)}, 0, 100, all[2:4], 2},
		{"window of a filter", to, 1, 3, all[3:5], 4},
		{"a moment too late", service.UploadFilter{From: after(2).Add(time.Microsecond)}, 0, 100, nil, 0},
	} {
		f.same(append([]string{c.name}, f.processed(c.filter, c.start, c.end)...), append([]string{c.name}, c.want...))
		f.same(read(f, func(tx service.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", c.filter) }), c.count)
	}
}

func testUploadsStreamed(f *fixture) {
	want := anUpload(1, "org-a", service.UploadProcessed)
	want.Account = anAccount(service.ListedInvalidRows+5, service.ListedErrors+5)
	f.insertUploads(want, anUpload(0, "org-a", service.UploadProcessed))
	want.Account = want.Account.Listed()
	f.view(func(tx service.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", service.UploadFilter{}, 0, 9) {
			f.same(u, want)
			f.same(err, nil)
			break
		}
		// Whoever stops early can go on with the transaction.
		_, err := tx.Uploads.Count(f.ctx, "org-a", service.UploadFilter{})
		return err
	})

	stop := errors.New("stop")
	err := f.store.View(f.ctx, func(tx service.Tx) error {
		for range tx.Uploads.Processed(f.ctx, "org-a", service.UploadFilter{}, 0, 9) {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		f.Errorf("View: %v, want the error of its work", err)
	}
}
