package service_test

import (
	"testing"
	"time"

	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/model"
)

// TestDisabledOrg disables an organization in another process while one of its imports runs. The import
// finishes. All other access ends, other organizations are not affected, and enabling restores everything.
func TestDisabledOrg(t *testing.T) {
	t.Parallel()
	disable := func() {}
	f := newFixture(t, withRemote, onCrashPoint(func(point string) {
		if point == "run.claimed" {
			disable()
		}
	}))
	other := f.newNode("elsewhere/one")
	key, err := f.CreateKey(f.ctx, "Alpha", model.Backend, 0)
	must(t, err)
	beta, err := f.CreateOrg(f.ctx, "Beta")
	must(t, err)
	betaKey, err := f.CreateKey(f.ctx, "Beta", model.Backend, 0)
	must(t, err)
	link := f.newImportLink()
	linkToken, err := f.LinkToken(link)
	must(t, err)
	opened, err := f.OpenLink(f.ctx, linkToken, "")
	must(t, err)
	reviewed := f.finishedImport(badFile, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`)
	reviewToken := f.mustToken(f.ReviewToken(reviewed))
	awaiting := f.newImport("")
	connector := f.newConnector(f.org, "user", connectors.Draft{})
	_, err = f.RunConnector(f.ctx, f.org, connector.ID)
	must(t, err)

	denied := map[string]func() error{
		"key":          func() error { _, err := f.Authenticate(f.ctx, key.Key); return err },
		"review link":  func() error { _, _, err := f.StartReviewSession(f.ctx, reviewed.ID, reviewToken); return err },
		"upload URL":   func() error { return f.upload(awaiting, goodFile) },
		"import link":  func() error { _, err := f.OpenLink(f.ctx, linkToken, ""); return err },
		"link session": func() error { _, err := f.LinkSession(f.ctx, opened.Session); return err },
	}
	running := f.pendingImport(goodFile, "")
	f.Clock.Advance(time.Second)
	waiting := f.pendingImport(goodFile, "")
	disable = func() {
		_, err := other.DisableOrg(f.ctx, "Alpha")
		must(t, err)
	}
	f.runAll()
	disable = func() {}
	must(t, f.RecoverRuns(f.ctx))
	f.wantStatus(running, model.Successful)
	f.wantStatus(waiting, model.Pending)
	for name, use := range denied {
		if err := use(); err == nil {
			t.Errorf("%s: accepted although the organization is disabled", name)
		} else {
			f.wantError(err, model.Denied, "organization_disabled")
		}
	}
	if n := f.runConnectors(); n != 0 {
		t.Error("the connector of the disabled organization ran")
	}
	if l, err := f.Authenticate(f.ctx, betaKey.Key); err != nil || l.Org != beta.ID {
		t.Errorf("the key of another organization: %v", err)
	}

	_, err = other.EnableOrg(f.ctx, "Alpha")
	must(t, err)
	must(t, f.RecoverRuns(f.ctx))
	for name, use := range denied {
		if err := use(); err != nil {
			t.Errorf("%s, enabled again: %v", name, err)
		}
	}
	f.runAll()
	f.wantStatus(waiting, model.Successful)
	if n := f.runConnectors(); n != 1 {
		t.Errorf("%d connectors ran after the organization was enabled, want 1", n)
	}
	_, err = f.DisableOrg(f.ctx, "Nobody")
	f.wantError(err, model.NotFound, "not_found")
}
