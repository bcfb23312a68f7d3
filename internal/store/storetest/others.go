package storetest

import (
	"github.com/intraydata/intray/internal/service"
)

// access is one way to a row by its id.
type access struct {
	name string
	run  func(tx service.Tx, org, id string) error
}

// accesses are all the ways to single rows; those that remove them come last.
func (f *fixture) accesses() []access {
	ctx := f.ctx
	return []access{
		{"get a schema", func(tx service.Tx, org, id string) error { _, err := tx.Schemas.Get(ctx, org, id); return err }},
		{"replace a schema", func(tx service.Tx, org, id string) error {
			return tx.Schemas.Replace(ctx, service.Schema{ID: id, Org: org, Name: "new"})
		}},
		{"get an import", func(tx service.Tx, org, id string) error { _, err := tx.Imports.Get(ctx, org, id); return err }},
		{"get an upload", func(tx service.Tx, org, id string) error { _, err := tx.Uploads.Get(ctx, org, id); return err }},
		{"save an upload", func(tx service.Tx, org, id string) error {
			return tx.Uploads.Save(ctx, service.Upload{ID: id, Org: org})
		}},
		{"get a session", func(tx service.Tx, org, id string) error { _, err := tx.Sessions.Get(ctx, org, id); return err }},
		{"save a session", func(tx service.Tx, org, id string) error {
			return tx.Sessions.Save(ctx, service.Session{ID: id, Org: org})
		}},
		{"get a credential", func(tx service.Tx, org, id string) error { _, err := tx.Credentials.Get(ctx, org, id); return err }},
		{"save a credential", func(tx service.Tx, org, id string) error {
			return tx.Credentials.Save(ctx, service.Credential{ID: id, Org: org})
		}},
		{"get a replay", func(tx service.Tx, org, id string) error { _, err := tx.Replays.Get(ctx, org, id); return err }},
		{"save a replay", func(tx service.Tx, org, id string) error {
			return tx.Replays.Save(ctx, service.Replay{Key: id, Org: org})
		}},
		{"delete a schema", func(tx service.Tx, org, id string) error { return tx.Schemas.Delete(ctx, org, id) }},
		{"delete an import", func(tx service.Tx, org, id string) error { return tx.Imports.Delete(ctx, org, id) }},
		{"delete an upload", func(tx service.Tx, org, id string) error { return tx.Uploads.Delete(ctx, org, id) }},
		{"delete a session", func(tx service.Tx, org, id string) error { return tx.Sessions.Delete(ctx, org, id) }},
		{"delete a credential", func(tx service.Tx, org, id string) error { return tx.Credentials.Delete(ctx, org, id) }},
	}
}

// insertEach adds one row of each noun with the id "x".
func (f *fixture) insertEach(org string) {
	f.Helper()
	f.update(func(tx service.Tx) error {
		return firstError(
			tx.Schemas.Insert(f.ctx, service.Schema{ID: "x", Org: org, Name: "name"}),
			tx.Imports.Insert(f.ctx, service.Import{ID: "x", Org: org}),
			tx.Uploads.Insert(f.ctx, service.Upload{ID: "x", Org: org}),
			tx.Sessions.Insert(f.ctx, service.Session{ID: "x", Org: org}),
			tx.Credentials.Insert(f.ctx, service.Credential{ID: "x", Org: org}),
			tx.Replays.Insert(f.ctx, service.Replay{Key: "x", Org: org}),
		)
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func testRowsOfOthers(f *fixture) {
	f.insertEach("org-a")
	for _, at := range []struct{ org, id string }{{"org-b", "x"}, {"org-a", "y"}, {"", "x"}} {
		for _, a := range f.accesses() {
			err := f.store.Update(f.ctx, func(tx service.Tx) error { return a.run(tx, at.org, at.id) })
			if !service.IsKind(err, service.NotFound) {
				f.Errorf("%s %q of %q: %v, want NotFound", a.name, at.id, at.org, err)
			}
		}
	}
	// All rows are there still, and each access works for their owner.
	for _, a := range f.accesses() {
		if err := f.store.Update(f.ctx, func(tx service.Tx) error { return a.run(tx, "org-a", "x") }); err != nil {
			f.Errorf("%s: %v", a.name, err)
		}
	}
}

func testNoOrganization(f *fixture) {
	f.refused(service.NotFound, func(tx service.Tx) error {
		return tx.Schemas.Insert(f.ctx, aSchema(1, "org-c", "name"))
	})
	f.refused(service.NotFound, func(tx service.Tx) error {
		return tx.Imports.Insert(f.ctx, anImport(1, "org-c", service.Pending))
	})
}
