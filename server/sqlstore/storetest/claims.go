package storetest

import (
	"fmt"
	"sync"

	"github.com/intraydata/intray/server/model"
)

func (f *fixture) claimImport(perOrg int) (model.Import, error) {
	return f.claimOn("node", model.RunLimits{PerOrg: perOrg, PerOrgAndNode: perOrg})
}

func (f *fixture) claimOn(node string, limits model.RunLimits) (imp model.Import, err error) {
	err = f.store.Update(f.ctx, func(tx model.Tx) (err error) {
		imp, err = tx.Imports.Claim(f.ctx, node, limits, startPlus(60))
		return err
	})
	return imp, err
}

// wantClaims claims imports on a node until there is none, and checks their ids.
func (f *fixture) wantClaims(node string, limits model.RunLimits, want ...model.Import) {
	f.Helper()
	for _, imp := range want {
		got, err := f.claimOn(node, limits)
		if err != nil || got.ID != imp.ID || got.Node != node {
			f.Fatalf("Claim on %s: %q, %v; want %q", node, got.ID, err, imp.ID)
		}
	}
	if got, err := f.claimOn(node, limits); !model.IsKind(err, model.NotFound) {
		f.Fatalf("Claim on %s: %q, %v; want NotFound", node, got.ID, err)
	}
}

// testClaimLeavesRoom checks that the imports of one organization do not occupy a whole node, and
// that their limit on each node is independent of the limit on all nodes.
func testClaimLeavesRoom(f *fixture) {
	limits := model.RunLimits{PerOrg: 3, PerOrgAndNode: 2}
	var a []model.Import
	for i := range 6 {
		a = append(a, anImport(i, "org-a", model.Pending))
	}
	f.insertImports(a...)
	f.wantClaims("n1", limits, a[:2]...)
	b := anImport(10, "org-b", model.Pending)
	f.insertImports(b)
	f.wantClaims("n1", limits, b)
	f.wantClaims("n2", limits, a[2]) // the third one on all nodes
	f.wantClaims("n3", limits)
	f.finish(f.getImport("org-a", a[2].ID))
	f.wantClaims("n1", limits) // there are already two on this node
	f.wantClaims("n3", limits, a[3])
	f.finish(f.getImport("org-a", a[0].ID))
	f.wantClaims("n1", limits, a[4])
}

// testClaimOnlyOrg checks that only the limit on all nodes applies as long as there is only one
// organization.
func testClaimOnlyOrg(f *fixture) {
	limits := model.RunLimits{PerOrg: 3, PerOrgAndNode: 1}
	addOrg := func(id string) {
		f.Helper()
		f.mustUpdate(func(tx model.Tx) error {
			return tx.Accounts.InsertOrg(f.ctx, model.Org{ID: id, Name: id, Created: start})
		})
	}
	addOrg("org-a")
	var a []model.Import
	for i := range 5 {
		a = append(a, anImport(i, "org-a", model.Pending))
	}
	f.insertImports(a...)
	f.wantClaims("n1", limits, a[:3]...)
	addOrg("org-b")
	f.finish(f.getImport("org-a", a[0].ID))
	f.wantClaims("n1", limits)
	f.wantClaims("n2", limits, a[3])
}

func testClaim(f *fixture) {
	none := func() {
		f.Helper()
		if _, err := f.claimImport(2); !model.IsKind(err, model.NotFound) {
			f.Errorf("Claim: %v, want NotFound", err)
		}
	}
	wantDue := func(minutes int, want bool) {
		f.Helper()
		got, err := model.Get(f.ctx, f.store, func(tx model.Tx) (bool, error) { return tx.Imports.IsDue(f.ctx, startPlus(minutes)) })
		if err != nil || got != want {
			f.Errorf("IsDue after %d min: %t, %v; want %t", minutes, got, err, want)
		}
	}
	none()
	wantDue(60, false)
	imp := anImport(1, "org-a", model.Pending)
	imp.Run, imp.Outcome = 2, anOutcome()
	later := anImport(2, "org-a", model.Pending)
	later.Created, later.Queued = startPlus(0), startPlus(9)
	f.insertImports(later, imp, anImport(3, "org-a", model.AwaitingUpload), anImport(4, "org-b", model.NeedsReview))
	wantDue(0, false)
	wantDue(1, true)

	got, err := f.claimImport(1)
	if err != nil {
		f.Fatalf("Claim: %v", err)
	}
	want := imp
	want.Status, want.Run, want.Node = model.Running, 3, "node"
	got.Modified = want.Modified
	f.wantEqual(got, want)
	stored := f.getImport("org-a", imp.ID)
	stored.Modified = want.Modified
	f.wantEqual(stored, want)

	if _, err := f.claimImport(1); !model.IsKind(err, model.NotFound) {
		f.Errorf("a second import of one organization: %v, want NotFound", err)
	}
	if got, err := f.claimImport(2); err != nil || got.ID != later.ID {
		f.Errorf("Claim gave %q and %v, want %q", got.ID, err, later.ID)
	}
	none()
	wantDue(60, false)
}

// testClaimAlone checks that an import that runs alone and other imports never run on the same
// node at the same time.
func testClaimAlone(f *fixture) {
	claim := func(node, want string) model.Import {
		f.Helper()
		got, err := f.claimOn(node, model.RunLimits{PerOrg: 9, PerOrgAndNode: 9})
		switch {
		case want == "" && !model.IsKind(err, model.NotFound):
			f.Fatalf("Claim on %s: %q, %v; want NotFound", node, got.ID, err)
		case want != "" && (err != nil || got.ID != want):
			f.Fatalf("Claim on %s: %q, %v; want %q", node, got.ID, err, want)
		}
		return got
	}
	var list []model.Import
	for i := range 4 {
		imp := anImport(i, "org-a", model.Pending)
		imp.Alone, imp.Queued = i == 1, startPlus(i)
		list = append(list, imp)
	}
	f.insertImports(list...)
	first := claim("n1", list[0].ID)
	claim("n1", "") // the next import would not be alone
	alone := claim("n2", list[1].ID)
	f.wantEqual(alone.Alone, true)
	claim("n2", "")
	claim("n1", list[2].ID)
	f.finish(alone)
	claim("n2", list[3].ID)
	f.finish(first)
}

// queueMany queues 30 imports of one organization, and after them 4 imports of each
// of three other organizations.
func (f *fixture) queueMany() (orgs []string) {
	f.Helper()
	n := 0
	for o, imports := range []int{30, 4, 4, 4} {
		org := model.Org{ID: fmt.Sprint("o", o), Name: fmt.Sprint("o", o), Created: startPlus(o)}
		f.mustUpdate(func(tx model.Tx) error { return tx.Accounts.InsertOrg(f.ctx, org) })
		for range imports {
			f.insertImports(anImport(n, org.ID, model.Pending))
			n++
		}
		orgs = append(orgs, org.ID)
	}
	return orgs
}

func (f *fixture) finish(imp model.Import) {
	f.Helper()
	done := imp
	done.Status, done.Node = model.Successful, ""
	f.mustUpdate(func(tx model.Tx) error { return tx.Imports.UpdateIf(f.ctx, done, model.Running, imp.Run) })
}

func testClaimIsFair(f *fixture) {
	f.queueMany()
	var order []string
	for range 42 {
		imp, err := f.claimImport(2)
		if err != nil {
			f.Fatalf("Claim: %v", err)
		}
		order = append(order, imp.Org)
		f.finish(imp)
	}
	var want []string
	for range 4 {
		want = append(want, "o0", "o1", "o2", "o3")
	}
	for range 26 {
		want = append(want, "o0")
	}
	f.wantEqual(order, want)
}

func testClaimsAtOnce(f *fixture) {
	f.queueMany()
	var mu sync.Mutex
	seen := map[string]bool{}
	work := func() {
		for {
			imp, err := f.claimWatched(2)
			if model.IsKind(err, model.NotFound) {
				return
			}
			if err != nil {
				f.Errorf("Claim: %v", err)
				return
			}
			mu.Lock()
			if seen[imp.ID] {
				f.Errorf("%s was claimed twice", imp.ID)
			}
			seen[imp.ID] = true
			mu.Unlock()
			done := imp
			done.Status = model.Successful
			if err := f.store.Update(f.ctx, func(tx model.Tx) error {
				return tx.Imports.UpdateIf(f.ctx, done, model.Running, imp.Run)
			}); err != nil {
				f.Errorf("Move: %v", err)
			}
		}
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(work)
	}
	wg.Wait()
	// Workers that found nothing to claim while all organizations were busy have ended.
	work()
	f.wantEqual(len(seen), 42)
}

// claimWatched claims an import and checks, in the same transaction, that at most perOrg imports
// of its organization are running.
func (f *fixture) claimWatched(perOrg int) (model.Import, error) {
	var imp model.Import
	err := f.store.Update(f.ctx, func(tx model.Tx) (err error) {
		if imp, err = tx.Imports.Claim(f.ctx, "node", model.RunLimits{PerOrg: perOrg, PerOrgAndNode: perOrg}, startPlus(60)); err != nil {
			return err
		}
		all, err := tx.Imports.InStatus(f.ctx, model.Running, "", 1000)
		running := 0
		for _, ref := range all {
			if ref.Org == imp.Org {
				running++
			}
		}
		if running > perOrg {
			f.Errorf("%d imports of %s run at once", running, imp.Org)
		}
		return err
	})
	return imp, err
}
