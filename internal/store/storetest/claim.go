package storetest

import (
	"fmt"
	"sync"

	"github.com/intraydata/intray/internal/service"
)

func (f *fixture) claim(perOrg int) (service.Import, error) {
	var imp service.Import
	err := f.store.Update(f.ctx, func(tx service.Tx) (err error) {
		imp, err = tx.Imports.Claim(f.ctx, "node", perOrg, after(60))
		return err
	})
	return imp, err
}

func testClaim(f *fixture) {
	none := func() {
		f.Helper()
		if _, err := f.claim(2); !service.IsKind(err, service.NotFound) {
			f.Errorf("Claim: %v, want NotFound", err)
		}
	}
	none()
	imp := anImport(1, "org-a", service.Pending)
	imp.Run, imp.Outcome = 2, anOutcome()
	later := anImport(2, "org-a", service.Pending)
	later.Created, later.Queued = after(0), after(9)
	f.insertImports(later, imp, anImport(3, "org-a", service.AwaitingUpload), anImport(4, "org-b", service.NeedsReview))

	got, err := f.claim(1)
	if err != nil {
		f.Fatalf("Claim: %v", err)
	}
	want := imp
	want.Status, want.Run, want.Node = service.Running, 3, "node"
	got.Modified = want.Modified
	f.same(got, want)
	stored := f.getImport("org-a", imp.ID)
	stored.Modified = want.Modified
	f.same(stored, want)

	if _, err := f.claim(1); !service.IsKind(err, service.NotFound) {
		f.Errorf("a second import of one organization: %v, want NotFound", err)
	}
	if got, err := f.claim(2); err != nil || got.ID != later.ID {
		f.Errorf("Claim gave %q and %v, want %q", got.ID, err, later.ID)
	}
	none()
}

// queueMany puts 30 imports of one organization before 4 each of three others.
func (f *fixture) queueMany() (orgs []string) {
	f.Helper()
	n := 0
	for o, imports := range []int{30, 4, 4, 4} {
		org := service.Org{ID: fmt.Sprint("o", o), Name: fmt.Sprint("o", o), Created: after(o)}
		f.update(func(tx service.Tx) error { return tx.Accounts.InsertOrg(f.ctx, org) })
		for range imports {
			f.insertImports(anImport(n, org.ID, service.Pending))
			n++
		}
		orgs = append(orgs, org.ID)
	}
	return orgs
}

func (f *fixture) finish(imp service.Import) {
	f.Helper()
	done := imp
	done.Status, done.Node = service.Successful, ""
	f.update(func(tx service.Tx) error { return tx.Imports.Move(f.ctx, done, service.Running, imp.Run) })
}

func testClaimIsFair(f *fixture) {
	f.queueMany()
	var order []string
	for range 42 {
		imp, err := f.claim(2)
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
	f.same(order, want)
}

func testClaimsAtOnce(f *fixture) {
	f.queueMany()
	var mu sync.Mutex
	seen := map[string]bool{}
	work := func() {
		for {
			imp, err := f.claimWatched(2)
			if service.IsKind(err, service.NotFound) {
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
			done.Status = service.Successful
			if err := f.store.Update(f.ctx, func(tx service.Tx) error {
				return tx.Imports.Move(f.ctx, done, service.Running, imp.Run)
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
	// Those who found nothing while all organizations were busy have left.
	work()
	f.same(len(seen), 42)
}

// claimWatched claims and checks, in the same transaction, how many imports of
// the organization run then.
func (f *fixture) claimWatched(perOrg int) (service.Import, error) {
	var imp service.Import
	err := f.store.Update(f.ctx, func(tx service.Tx) (err error) {
		if imp, err = tx.Imports.Claim(f.ctx, "node", perOrg, after(60)); err != nil {
			return err
		}
		all, err := tx.Imports.InStatus(f.ctx, service.Running, "", 1000)
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
