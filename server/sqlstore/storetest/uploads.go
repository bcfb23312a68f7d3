package storetest

import (
	"errors"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

func anUpload(n int, org string, status model.UploadStatus) model.Upload {
	return model.Upload{
		ID: id("upload", n), Org: org, ImportID: id("import", n), ImportIdentifier: "contacts",
		Filename: "a.csv", User: model.User{Name: "Ada"}, Status: status, Created: startPlus(n),
	}
}

func anAccount(rows, errs int) model.ProblemSummary {
	var a model.ProblemSummary
	for n := range rows {
		a.InvalidRows = append(a.InvalidRows, int64(n))
	}
	for n := range errs {
		row := int64(n)
		a.Errors = append(a.Errors, intray.Notice{Type: intray.Validation, Row: &row, Text: intray.Literal("wrong")})
	}
	return a
}

func (f *fixture) insertUploads(all ...model.Upload) {
	f.Helper()
	f.mustUpdate(func(tx model.Tx) error {
		for _, u := range all {
			if err := tx.Uploads.Insert(f.ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) upload(org, id string) func(model.Tx) (model.Upload, error) {
	return func(tx model.Tx) (model.Upload, error) { return tx.Uploads.Get(f.ctx, org, id) }
}

func testUploads(f *fixture) {
	bare := model.Upload{ID: "bare", Org: "org-a", Status: model.UploadPending}
	before := anUpload(1, "org-a", model.UploadProcessing)
	f.insertUploads(bare, before)
	f.wantEqual(read(f, f.upload("org-a", "bare")), bare)
	f.wantEqual(read(f, f.upload("org-a", before.ID)), before)
	f.wantRefused(model.Conflict, func(tx model.Tx) error { return tx.Uploads.Insert(f.ctx, bare) })

	want := before
	want.Filename, want.Status, want.TotalRows = "b.csv", model.UploadProcessed, 1<<33
	want.Raw, want.Result = model.File{Key: "k", Size: 1 << 34, SHA256: "s"}, model.File{Key: "l", Size: 2, SHA256: "t"}
	want.FieldOrder, want.Problems, want.User = []string{"b", "a"}, anAccount(3, 2), model.User{ID: "8", Name: "Bo"}
	asked := want
	asked.ImportID, asked.ImportIdentifier, asked.Created = "x", "x", startPlus(99)
	f.mustUpdate(func(tx model.Tx) error { return tx.Uploads.Save(f.ctx, asked) })
	f.wantEqual(read(f, f.upload("org-a", before.ID)), want)

	f.mustUpdate(func(tx model.Tx) error { return tx.Uploads.Delete(f.ctx, "org-a", before.ID) })
	f.wantNotFound(func(tx model.Tx) error { _, err := f.upload("org-a", before.ID)(tx); return err })
}

// processed returns the ids of the Processed uploads at positions [start, end).
func (f *fixture) processed(filter model.UploadFilter, start, end int64) (ids []string) {
	f.Helper()
	f.mustView(func(tx model.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", filter, model.PageRequest{Offset: start, Limit: end - start}) {
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
		u := anUpload(n, "org-a", model.UploadProcessed)
		u.Created = startPlus(n / 2)
		f.insertUploads(u, anUpload(n+100, "org-b", model.UploadProcessed), anUpload(n+200, "org-a", model.UploadFailed))
		all = append([]string{u.ID}, all...)
	}
	from, to := model.UploadFilter{From: startPlus(1)}, model.UploadFilter{To: startPlus(1)}
	for _, c := range []struct {
		name       string
		filter     model.UploadFilter
		start, end int64
		want       []string
		count      int64
	}{
		{"all", model.UploadFilter{}, 0, 100, all, 6},
		{"window", model.UploadFilter{}, 1, 4, all[1:4], 6},
		{"empty window", model.UploadFilter{}, 2, 2, nil, 6},
		{"past the end", model.UploadFilter{}, 6, 9, nil, 6},
		{"from", from, 0, 100, all[:4], 4},
		{"to", to, 0, 100, all[2:], 4},
		{"both", model.UploadFilter{From: startPlus(1), To: startPlus(1)}, 0, 100, all[2:4], 2},
		{"window of a filter", to, 1, 3, all[3:5], 4},
		{"a moment too late", model.UploadFilter{From: startPlus(2).Add(time.Microsecond)}, 0, 100, nil, 0},
	} {
		f.wantEqual(append([]string{c.name}, f.processed(c.filter, c.start, c.end)...), append([]string{c.name}, c.want...))
		f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", c.filter) }), c.count)
	}
}

// testUploadsCount checks the number of uploads in periods that begin and end within days.
func testUploadsCount(f *fixture) {
	const minutesOfDay = 24 * 60
	step := 7 * 60 // start is at 05:06
	var created []time.Time
	for n := range 16 {
		u := anUpload(n, "org-a", model.UploadProcessed)
		u.Created = startPlus(n * step)
		created = append(created, u.Created)
		f.insertUploads(u, anUpload(n+100, "org-b", model.UploadProcessed))
	}
	midnight := start.Truncate(24 * time.Hour)
	bounds := append([]time.Time{midnight, midnight.Add(minutesOfDay * time.Minute), midnight.Add(2*minutesOfDay*time.Minute - time.Microsecond), midnight.Add(-time.Hour), midnight.Add(30 * minutesOfDay * time.Minute)}, created...)
	for _, from := range bounds {
		for _, to := range bounds {
			want := int64(0)
			for _, at := range created {
				if !at.Before(from) && !at.After(to) {
					want++
				}
			}
			filter := model.UploadFilter{From: from, To: to}
			f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", filter) }), want)
		}
	}
	gone, failed := anUpload(3, "org-a", model.UploadProcessed), anUpload(4, "org-a", model.UploadFailed)
	f.mustUpdate(func(tx model.Tx) error {
		return firstError(tx.Uploads.Delete(f.ctx, "org-a", gone.ID), tx.Uploads.Save(f.ctx, failed))
	})
	f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Count(f.ctx, "org-a", model.UploadFilter{}) }), int64(14))
}

func testUploadsUnfinished(f *fixture) {
	unfinished := func(n int, org string, status model.UploadStatus) model.Upload {
		u := anUpload(n, org, status)
		u.Created, u.Raw = startPlus(n), model.File{Key: "k", Size: int64(1) << (32 + n)}
		return u
	}
	none := unfinished(4, "org-a", model.UploadPending)
	none.Raw.Key = ""
	f.insertUploads(unfinished(0, "org-a", model.UploadPending), unfinished(1, "org-a", model.UploadPending), unfinished(2, "org-a", model.UploadPending),
		unfinished(3, "org-a", model.UploadProcessing), none, unfinished(5, "org-b", model.UploadPending))
	for minute, want := range []int64{6 << 32, 4 << 32, 0} {
		f.wantEqual(read(f, func(tx model.Tx) (int64, error) { return tx.Uploads.Unfinished(f.ctx, "org-a", startPlus(minute)) }), want)
	}
}

func testUploadsStreamed(f *fixture) {
	want := anUpload(1, "org-a", model.UploadProcessed)
	want.Problems = anAccount(model.ListedInvalidRows+5, model.ListedErrors+5)
	f.insertUploads(want, anUpload(0, "org-a", model.UploadProcessed))
	want.Problems = want.Problems.Listed()
	f.mustView(func(tx model.Tx) error {
		for u, err := range tx.Uploads.Processed(f.ctx, "org-a", model.UploadFilter{}, model.PageRequest{Limit: 9}) {
			f.wantEqual(u, want)
			f.wantEqual(err, nil)
			break
		}
		// After the iteration stops early, the transaction can still be used.
		_, err := tx.Uploads.Count(f.ctx, "org-a", model.UploadFilter{})
		return err
	})

	stop := errors.New("stop")
	err := f.store.View(f.ctx, func(tx model.Tx) error {
		for range tx.Uploads.Processed(f.ctx, "org-a", model.UploadFilter{}, model.PageRequest{Limit: 9}) {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) {
		f.Errorf("View: %v, want the error of its work", err)
	}
}
