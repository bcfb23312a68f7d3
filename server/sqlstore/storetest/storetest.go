// Package storetest is the conformance suite for implementations of [model.Store].
// It tests only documented behavior.
package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/test/pgtest"
)

// Run runs the suite. open must return an empty store and close it when its test ends.
func Run(t *testing.T, open func(t *testing.T) model.Store) {
	for _, c := range testCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(newFixture(t, open(t)))
		})
	}
	t.Run("claim for the only organization", func(t *testing.T) {
		t.Parallel()
		testClaimOnlyOrg(&fixture{T: t, store: open(t), ctx: model.AcrossOrgs(t.Context())})
	})
}

type testCase struct {
	name string
	run  func(f *fixture)
}

func testCases() []testCase {
	return []testCase{
		{"organizations", testOrgs},
		{"organizations with limits", testSpecialOrgs},
		{"disabled organization", testDisabledOrg},
		{"data of an organization", testOrgData},
		{"organization that is not being deleted", testOrgNotDeleting},
		{"organization in use", testOrgInUse},
		{"licences", testLicences},
		{"schemas", testSchemas},
		{"schema names", testSchemaNames},
		{"imports", testImports},
		{"imports listed", testImportsListed},
		{"embedded imports", testEmbedded},
		{"imports moved", testImportsMoved},
		{"imports in status", testImportsInStatus},
		{"imports after an id", testImportsAfter},
		{"imports selected", testImportsSelected},
		{"deliveries of an import", testDeliveriesOfImport},
		{"claim", testClaim},
		{"claim is fair", testClaimIsFair},
		{"claim leaves room", testClaimLeavesRoom},
		{"claim alone", testClaimAlone},
		{"claims at once", testClaimsAtOnce},
		{"uploads", testUploads},
		{"uploads processed", testUploadsProcessed},
		{"numbers of uploads", testUploadsCount},
		{"unfinished uploads", testUploadsUnfinished},
		{"uploads streamed", testUploadsStreamed},
		{"cursors", testCursors},
		{"sessions", testSessions},
		{"credentials", testCredentials},
		{"replays", testReplays},
		{"rates", testRates},
		{"memory", testMemory},
		{"memory version", testMemoryVersion},
		{"memory trimmed", testMemoryTrimmed},
		{"memory expired", testMemoryExpired},
		{"edits", testEdits},
		{"import links", testImportLinks},
		{"webhooks", testWebhooks},
		{"deliveries", testDeliveries},
		{"order of deliveries", testDeliveryOrder},
		{"limits of deliveries", testDeliveryLimits},
		{"claimed deliveries", testClaimedDeliveries},
		{"connectors", testConnectors},
		{"due uploads", testDueUploads},
		{"retention", testRetention},
		{"usage", testUsage},
		{"usage is held", testUsageHeld},
		{"backlog", testBacklog},
		{"trash", testTrash},
		{"nodes", testNodes},
		{"nodes described", testNodesDescribed},
		{"rows of others", testRowsOfOthers},
		{"no organization", testNoOrganization},
		{"rollback", testRollback},
		{"panic", testPanic},
		{"commit", testCommit},
		{"cancelled", testCancelled},
		{"conflict leaves the transaction in order", testConflictGoesOn},
		{"view changes nothing", testViewChangesNothing},
		{"view is one state", testViewIsOneState},
		{"many at once", testManyAtOnce},
		{"what is got is held", testHeld},
		{"what is got and gone", testHeldAndGone},
		{"crossed transactions", testCrossed},
		{"marks", testMarks},
	}
}

// fixture is a store with two organizations.
type fixture struct {
	*testing.T
	store model.Store
	ctx   context.Context
	a, b  model.Org
}

// start is the base of all times in the suite. It is a whole number of microseconds, as stored.
var start = time.Date(2026, 3, 4, 5, 6, 7, 891011000, time.UTC)

func startPlus(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }

func newFixture(t *testing.T, store model.Store) *fixture {
	f := &fixture{T: t, store: store, ctx: model.AcrossOrgs(t.Context()),
		a: model.Org{ID: "org-a", Name: "Alpha", Created: startPlus(0)},
		b: model.Org{ID: "org-b", Name: "Beta", Created: startPlus(1)},
	}
	f.mustUpdate(func(tx model.Tx) error {
		if err := tx.Accounts.InsertOrg(f.ctx, f.a); err != nil {
			return err
		}
		return tx.Accounts.InsertOrg(f.ctx, f.b)
	})
	return f
}

func (f *fixture) mustUpdate(work func(model.Tx) error) {
	f.Helper()
	if err := f.store.Update(f.ctx, work); err != nil {
		f.Fatalf("Update: %v", err)
	}
}

func (f *fixture) mustView(work func(model.Tx) error) {
	f.Helper()
	if err := f.store.View(f.ctx, work); err != nil {
		f.Fatalf("View: %v", err)
	}
}

// wantRefused checks that an update returns an error of the given kind.
func (f *fixture) wantRefused(kind model.Kind, work func(model.Tx) error) {
	f.Helper()
	if err := f.store.Update(f.ctx, work); !model.IsKind(err, kind) {
		f.Errorf("Update: %v, want an error of kind %d", err, kind)
	}
}

// wantNotFound checks that a read returns NotFound.
func (f *fixture) wantNotFound(work func(model.Tx) error) {
	f.Helper()
	if err := f.store.View(f.ctx, work); !model.IsKind(err, model.NotFound) {
		f.Errorf("View: %v, want NotFound", err)
	}
	if err := f.store.ViewOne(f.ctx, work); !model.IsKind(err, model.NotFound) {
		f.Errorf("ViewOne: %v, want NotFound", err)
	}
}

func (f *fixture) wantEqual(got, want any) {
	f.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.Errorf("unexpected difference (-want +got):\n%s", diff)
	}
}

// read returns the result of the function get, which it calls in a read transaction.
func read[T any](f *fixture, get func(model.Tx) (T, error)) T {
	f.Helper()
	var got T
	f.mustView(func(tx model.Tx) (err error) {
		got, err = get(tx)
		return err
	})
	return got
}

// id returns an id. Ids of the same kind sort by their numbers.
func id(kind string, n int) string { return fmt.Sprintf("%s-%04d", kind, n) }

// PostgresURL creates an empty database and returns its URL. The environment variable
// INTRAY_TEST_POSTGRES_URL contains the URL of the server. If it is not set, the test is
// skipped. The database is dropped when the test ends.
func PostgresURL(t testing.TB) string {
	t.Helper()
	if pgtest.Server() == "" {
		t.Skipf("SKIPPED: no PostgreSQL, %s is not set (see .ci/postgres)", pgtest.Variable)
	}
	ctx := context.Background() // the context of the test ends before the cleanup
	name, address, err := pgtest.Create(ctx, pgtest.Server())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pgtest.Drop(ctx, pgtest.Server(), name); err != nil {
			t.Error(err)
		}
	})
	return address
}
