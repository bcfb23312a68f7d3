package service_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/webhooks"
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

// fill creates something of every kind in an organization.
func (f *fixture) fill(org, name string) {
	f.Helper()
	before := f.org
	defer func() { f.org = before }()
	f.org = org
	_, err := f.CreateKey(f.ctx, name, model.Backend, 0)
	must(f.T, err)
	_, _, err = f.CreateWebhook(f.ctx, org, webhooks.Draft{URL: "http://" + name, Enabled: true})
	must(f.T, err)
	f.finishedImport(goodFile, "")
	f.finishedImport(badFile, `{"invalidDataBehavior":"BLOCK_SUBMIT"}`)
	f.newImport("")
	f.pendingImport(goodFile, "")
	f.newImportLink()
	connector := f.newConnector(org, name, connectors.Draft{})
	session, err := f.CreateSession(f.ctx, org, imports.NewSession{})
	must(f.T, err)
	_, err = f.SaveState(f.ctx, session.Session, []byte(`{}`), nil)
	must(f.T, err)
	must(f.T, f.SetRetention(f.ctx, org, []model.Retention{{Org: org, Learned: 9}}))
	must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
		learned := model.LearnedMapping{Org: org, ImportIdentifier: "contacts", Kind: model.ColumnMemory, Text: "Mail", Field: "email"}
		file := model.PulledFile{ConnectorID: connector.ID, Org: org, File: model.RemoteFile{Path: "/in/a.csv", Size: 1}}
		run := model.PullRun{ID: name + "-run", ConnectorID: connector.ID, Skipped: []intray.Message{}}
		for _, err := range []error{
			tx.Memory.Upsert(f.ctx, learned), tx.Pulled.Upsert(f.ctx, file), tx.Pulls.Insert(f.ctx, run),
			tx.Replays.Insert(f.ctx, model.Replay{Org: org, Key: "k", Created: f.Clock.Now()}), tx.Deletions.Insert(f.ctx, model.Deletion{ID: name + "-deletion", Org: org}),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// rowCounts returns the number of rows of each table, except those of maintenance and of the queue.
func (f *fixture) rowCounts() map[string]int {
	f.Helper()
	db, err := sql.Open("sqlite", f.Path)
	must(f.T, err)
	defer db.Close()
	rows, err := db.QueryContext(f.ctx, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'river%' AND name NOT LIKE 'sqlite%'`)
	must(f.T, err)
	defer rows.Close()
	var tables []string
	for rows.Next() {
		var name string
		must(f.T, rows.Scan(&name))
		tables = append(tables, name)
	}
	must(f.T, rows.Err())
	counts := map[string]int{}
	for _, name := range tables {
		if slices.Contains([]string{"goose_db_version", "trash", "marks", "nodes", "rates"}, name) {
			continue
		}
		n := 0
		must(f.T, db.QueryRowContext(f.ctx, `SELECT count(*) FROM `+name).Scan(&n))
		counts[name] = n
	}
	return counts
}

// TestDeleteOrg checks that nothing of a deleted organization remains, in any table or blob, that another
// organization is not affected, and that a deletion that was interrupted is completed.
func TestDeleteOrg(t *testing.T) {
	t.Parallel()
	for name, deleteBeta := range map[string]func(f *fixture, key string){
		"at once":        (*fixture).deleteAtOnce,
		"by maintenance": (*fixture).deleteByMaintenance,
		"interrupted":    (*fixture).deleteInterrupted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, withRemote, withSender(&fakeSender{}))
			f.fill(f.org, "Alpha")
			f.runAll()
			rows, blobs := f.rowCounts(), f.Blobs.Keys("")
			beta, err := f.CreateOrg(f.ctx, "Beta")
			must(t, err)
			f.fill(beta.ID, "Beta")
			key, err := f.CreateKey(f.ctx, "Beta", model.Backend, 0)
			must(t, err)
			for table, n := range f.rowCounts() {
				if n <= rows[table] && table != "edits" && table != "attempts" && table != "import_link_logos" {
					t.Errorf("the test adds nothing to the table %s", table)
				}
			}
			_, _, err = f.DeleteOrg(f.ctx, "Beta")
			f.wantError(err, model.Conflict, "organization_in_use")
			_, err = f.DisableOrg(f.ctx, "Beta")
			must(t, err)
			deleteBeta(f, key.Key)
			f.Clock.Advance(model.StopGrace)
			must(t, f.RunMaintenance(f.ctx))
			if diff := cmp.Diff(rows, f.rowCounts()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			left := f.Blobs.Keys("")
			slices.Sort(blobs)
			slices.Sort(left)
			if diff := cmp.Diff(blobs, left); diff != "" {
				t.Errorf("blobs (-want +got):\n%s", diff)
			}
			_, _, err = f.DeleteOrg(f.ctx, "Beta")
			f.wantError(err, model.NotFound, "not_found")
		})
	}
}

func (f *fixture) deleteAtOnce(string) {
	_, deleted, err := f.DeleteOrg(f.ctx, "Beta")
	must(f.T, err)
	if deleted.Imports != 4 || deleted.Sessions != 1 || deleted.Rows < 10 {
		f.Errorf("deleted %+v", deleted)
	}
}

func (f *fixture) deleteByMaintenance(string) {
	_, err := f.MarkOrgDeleting(f.ctx, "Beta")
	must(f.T, err)
	_, err = f.EnableOrg(f.ctx, "Beta")
	f.wantError(err, model.Conflict, "organization_deleting")
	must(f.T, f.RunMaintenance(f.ctx))
}

// deleteInterrupted repeats the deletion, which fails at a later point each time. In between, a process that
// has just started refuses the organization.
func (f *fixture) deleteInterrupted(key string) {
	for i, point := range []struct {
		use string
		n   int
	}{
		{"Accounts.SetOrgState", 1}, {"OrgData.Imports", 1}, {"OrgData.Sessions", 1},
		{"Retention.CountEdits", 1}, {"Imports.Delete", 1}, {"Imports.Delete", 2}, {"response of commit", 3}, {"Sessions.Delete", 1},
		{"Trash.ListDue", 1}, {"OrgData.DeleteRows", 1}, {"OrgData.DeleteRows", 2}, {"OrgData.DeleteOrg", 1},
	} {
		f.Faults.ArmUse(point.use, point.n)
		_, _, err := f.DeleteOrg(f.ctx, "Beta")
		if f.Faults.Disarm() == "" || !errors.Is(err, servertest.ErrInjected) {
			f.Fatalf("interrupted at %v: %v", point, err)
		}
		node := f.newNode(fmt.Sprintf("elsewhere/%d", i), withRemote, withSender(&fakeSender{}))
		must(f.T, node.Join(f.ctx))
		if _, err := node.Authenticate(f.ctx, key); !model.IsKind(err, model.Denied) {
			f.Errorf("interrupted at %v: a call with the key of the organization: %v, want an error of kind Denied", point, err)
		}
	}
	_, _, err := f.DeleteOrg(f.ctx, "Beta")
	must(f.T, err)
}
