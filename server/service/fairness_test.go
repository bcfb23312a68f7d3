package service_test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/webhooks"
)

// crowdSize returns the number of organizations: 20, 12 in short mode, or 200 with
// INTRAY_TORTURE=full.
func crowdSize() int {
	switch {
	case testing.Short():
		return 12
	case os.Getenv("INTRAY_TORTURE") == "full":
		return 200
	}
	return 20
}

// crowdFixture is a fixture that records the organization of each import that ends.
type crowdFixture struct {
	*fixture
	recorder *eventRecorder
}

// eventRecorder records the organization of each import that ends.
type eventRecorder struct {
	*fakeSender
	orgs []string
}

func (t *eventRecorder) ImportPayload(imp model.Import, u model.Upload, development bool) (webhooks.Payload, bool, error) {
	t.orgs = append(t.orgs, imp.Org)
	return t.fakeSender.ImportPayload(imp, u, development)
}

func newCrowd(t *testing.T) *crowdFixture {
	t.Helper()
	recorder := &eventRecorder{fakeSender: &fakeSender{}}
	return &crowdFixture{newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.WebhookSender = recorder }), recorder}
}

// queueImports queues n imports of an organization.
func (f *crowdFixture) queueImports(org string, n int) {
	f.Helper()
	_, _, err := f.CreateWebhook(f.ctx, org, webhooks.Draft{URL: "http://listener", Enabled: true})
	must(f.T, err)
	for range n {
		_, err := f.CreateImport(f.ctx, org, imports.Draft{Doc: doc(f.T, contacts, ""), Rows: strings.NewReader(`[{"email":"a@example.org"}]`)})
		must(f.T, err)
	}
}

// runImports runs at most n imports, and returns the organization of each one that ended.
func (f *crowdFixture) runImports(n int) []string {
	f.Helper()
	for range n {
		f.Clock.Advance(time.Millisecond)
		ran, err := f.RunNext(f.ctx)
		must(f.T, err)
		if !ran {
			break
		}
	}
	return f.recorder.orgs
}

// One organization queues many imports, and every other organization queues one. The single
// imports must take at most 1.3 times as long as they do without the many imports.
func TestFairness(t *testing.T) {
	t.Parallel()
	n := crowdSize()
	latest := func(queued int) int {
		f := newCrowd(t)
		if queued > 0 {
			f.queueImports(f.org, queued)
		}
		for i := range n - 1 {
			org, err := f.CreateOrg(f.ctx, fmt.Sprint("Org ", i))
			must(t, err)
			f.queueImports(org.ID, 1)
		}
		worst := 0
		for at, org := range f.runImports(2 * n) {
			if org != f.org {
				worst = at + 1
			}
		}
		return worst
	}
	alone, crowded := latest(0), latest(5*n)
	t.Logf("the last of %d organizations with one import ends after %d runs, and with %d imports of another one after %d: %.2f times later", n-1, alone, 5*n, crowded, float64(crowded)/float64(alone))
	if float64(crowded) > 1.3*float64(alone) {
		t.Errorf("the last one ends after %d runs, and without the many imports after %d", crowded, alone)
	}
}

// All organizations have more imports than can run at once. Jain's fairness index
// of their runs must be near 1 (R. Jain et al., 1984: 1 means equal shares, and 1/n
// means that one of n organizations gets everything).
func TestThroughput(t *testing.T) {
	t.Parallel()
	n := crowdSize()
	f := newCrowd(t)
	runs := map[string]int{}
	for i := range n {
		org, err := f.CreateOrg(f.ctx, fmt.Sprint("Org ", i))
		must(t, err)
		f.queueImports(org.ID, 3+i%7)
	}
	for _, org := range f.runImports(5 * n / 2) {
		runs[org]++
	}
	sum, squares := 0.0, 0.0
	for _, r := range runs {
		sum += float64(r)
		squares += float64(r) * float64(r)
	}
	index := sum * sum / (float64(n) * squares)
	t.Logf("%d organizations, %d runs: Jain's index %.4f", n, int(sum), index)
	if index < 0.95 {
		t.Errorf("Jain's index is %.4f, want at least 0.95: %v", index, runs)
	}
}

// While an import of one organization is running, one of two runs of the process must remain for
// the others. A process with a single run cannot leave one.
func TestRunsLeftForOthers(t *testing.T) {
	t.Parallel()
	for runs, wants := range map[int]bool{1: false, 2: false, 3: true} {
		f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.Runs = runs })
		other, err := f.CreateOrg(f.ctx, "Other")
		must(t, err)
		queue := func(org string) {
			_, err := f.CreateImport(f.ctx, org, imports.Draft{Doc: doc(t, contacts, ""), Rows: strings.NewReader(`[{"email":"a@example.org"}]`)})
			must(t, err)
		}
		queue(f.org)
		must(t, f.Store.Update(f.ctx, func(tx model.Tx) error { // its run does not end during this test
			_, err := tx.Imports.Claim(f.ctx, servertest.Node, model.RunLimits{PerOrg: 1, PerOrgAndNode: 1}, f.Clock.Now())
			return err
		}))
		queue(f.org)
		if ran, err := f.RunNext(f.ctx); err != nil || ran != wants {
			t.Errorf("%d runs: a second import of the organization ran: %t, %v; want %t", runs, ran, err, wants)
		}
		queue(other.ID)
		if ran, err := f.RunNext(f.ctx); err != nil || !ran {
			t.Errorf("%d runs: the import of the other organization did not run: %v", runs, err)
		}
	}
}

// TestRunsPerOrg checks the maximum number of running imports of one organization in all processes.
func TestRunsPerOrg(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{0, 1, 3} {
		f := newFixture(t, crashAt("run.claimed"), func(_ *fixture, cfg *service.Config) { cfg.Runs, cfg.RunsPerOrg = 8, limit })
		other := f.newNode("elsewhere/one", crashAt("run.claimed"), func(_ *fixture, cfg *service.Config) { cfg.Runs, cfg.RunsPerOrg = 8, limit })
		for range 5 {
			f.pendingImport(goodFile, "")
		}
		want := cmp.Or(limit, 2)
		for n := range want {
			f.expectCrash(func() { _, _ = []*service.Service{f.Service, other}[n%2].RunNext(f.ctx) })
		}
		for _, s := range []*service.Service{f.Service, other} {
			if ran, err := s.RunNext(f.ctx); ran || err != nil {
				t.Errorf("limit %d: another import ran: %v", limit, err)
			}
		}
	}
}
