package service_test

import (
	"testing"

	"github.com/intraydata/intray/server/importlinks"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// newImportLink creates an import link for a new schema.
func (f *fixture) newImportLink() model.ImportLink {
	f.Helper()
	contactsDoc := doc(f.T, contacts, "{}")
	contactsDoc.Name = "Sent by link"
	saved, _, err := f.CreateSchema(f.ctx, f.org, schemas.Draft{Doc: contactsDoc})
	must(f.T, err)
	link, err := f.CreateImportLink(f.ctx, f.org, importlinks.Draft{SchemaID: saved.ID, MaxUses: 1})
	must(f.T, err)
	return link
}

// uses returns how many files a link has received.
func (f *fixture) uses(link model.ImportLink) int64 {
	f.Helper()
	now, err := f.ImportLink(f.ctx, f.org, link.ID)
	must(f.T, err)
	return now.Uses
}

// A use is counted when the file is durable, and returned when the import is deleted or fails.
func TestLinkUses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	link := f.newImportLink()
	start := func() model.Import {
		imp, err := f.StartImport(f.ctx, link, "")
		must(t, err)
		return imp
	}
	first, second := start(), start()
	must(t, f.upload(first, goodFile))
	if n := f.uses(link); n != 1 {
		t.Errorf("%d uses after a file", n)
	}
	f.wantError(f.upload(second, goodFile), model.Conflict, "link_used_up")
	f.runAll()
	f.wantStatus(first, model.NeedsReview)
	must(t, f.DeleteImport(f.ctx, f.org, first.ID))
	if n := f.uses(link); n != 0 {
		t.Errorf("%d uses after the import was deleted", n)
	}
	must(t, f.upload(second, "%PDF-1.7"))
	f.runAll()
	f.wantStatus(second, model.Failed)
	if n := f.uses(link); n != 0 {
		t.Errorf("%d uses after the import has failed", n)
	}
	must(t, f.DeleteImport(f.ctx, f.org, second.ID))
	third := start()
	must(t, f.upload(third, goodFile))
	f.runAll()
	_, _, err := f.SubmitReview(f.ctx, f.wantStatus(third, model.NeedsReview))
	must(t, err)
	must(t, f.DeleteImport(f.ctx, f.org, third.ID))
	if n := f.uses(link); n != 1 {
		t.Errorf("%d uses after a submitted import was deleted", n)
	}
}

// A file cannot arrive through a link that was revoked during its upload.
func TestRevokedLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	link := f.newImportLink()
	imp, err := f.StartImport(f.ctx, link, "")
	must(t, err)
	must(t, f.DeleteImportLink(f.ctx, f.org, link.ID))
	f.wantError(f.upload(imp, goodFile), model.Denied, "revoked")
	if keys := f.Blobs.Keys("imports/" + imp.ID); len(keys) > 0 {
		t.Errorf("the refused file is stored: %v", keys)
	}
}
