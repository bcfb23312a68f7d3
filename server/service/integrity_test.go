package service_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/server/integrity"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

// verify verifies all files and returns the damage that it finds.
func (f *fixture) verify(repair bool) (found []integrity.Damage, sum integrity.Summary) {
	f.Helper()
	calls := 0
	sum, err := f.Verify(f.ctx, integrity.Options{
		Repair: repair, Report: func(d integrity.Damage) { found = append(found, d) }, Progress: func(integrity.Summary) { calls++ },
	})
	must(f.T, err)
	if int64(calls) != sum.Imports || int64(len(found)) != sum.Damaged {
		f.Errorf("%d calls for %d imports, %d reports of %d damaged files", calls, sum.Imports, len(found), sum.Damaged)
	}
	return found, sum
}

func TestVerify(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.newImport("") // has no files
	imp := f.finishedImport(badFile, "")
	want := f.downloads(imp)
	if found, sum := f.verify(true); len(found) > 0 || sum.Imports != 2 || sum.Files != 3 || sum.Bytes <= imp.Raw.Size {
		t.Errorf("without damage: %+v, %+v", found, sum)
	}
	for name, change := range damages {
		imp := f.finishedImport(badFile, "")
		if name == "a bit is flipped at the start" { // of the signature, which is not used
			change = damages["a bit is flipped"]
		}
		f.damage(imp.Stage, change) // the rows of a small import are a single file
		f.damage(imp.Result.Key, change)
		found, _ := f.verify(false)
		if len(found) != 2 || found[0].Part != integrity.Rows || found[1].Part != integrity.Result || found[0].Repaired || found[1].Repaired ||
			found[0].Import != imp.ID || found[0].Org != f.org || found[0].Cause == "" {
			t.Errorf("%s: found %+v, want the rows and the result", name, found)
		}
		if found, sum := f.verify(true); len(found) != 2 || !found[0].Repaired || !found[1].Repaired || sum.Repaired != 2 {
			t.Errorf("%s: found %+v, want 2 repairs", name, found)
		}
		if found, _ := f.verify(false); len(found) > 0 {
			t.Errorf("%s: after the repair: %+v", name, found)
		}
		f.wantDownloads(name, f.reload(imp), want)
	}
}

// TestVerifyChangedBytes changes bytes anywhere in the staged rows of an import: first in their single file, and
// after a repair in each of the several files that it writes. Verify must report and repair each change.
func TestVerifyChangedBytes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	want := f.downloads(imp)
	random := rand.New(rand.NewPCG(1, 2))
	damageAndFind := func(key string, at int, repair bool) (restore func()) {
		t.Helper()
		restore = f.damage(key, func(content []byte) []byte { return flip(content, at) })
		found, _ := f.verify(repair)
		if len(found) != 1 || found[0].Part != integrity.Rows || found[0].Repaired != repair {
			t.Errorf("byte %d of %s: found %+v", at, key, found)
		}
		return restore
	}
	for range 2 {
		for _, key := range f.Blobs.Keys(imp.Stage) {
			size := len(f.Blobs.Content(t, key))
			for i := range 40 {
				at := random.IntN(size)
				if i%2 == 0 {
					at = size - 1 - random.IntN(min(size, 300)) // in the footer of a Parquet file
				}
				damageAndFind(key, at, false)()
			}
		}
		keys := f.Blobs.Keys(imp.Stage)
		key := keys[len(keys)-1] // a Parquet file
		damageAndFind(key, len(f.Blobs.Content(t, key))-30, true)
		if found, _ := f.verify(false); len(found) > 0 {
			t.Errorf("after the repair: %+v", found)
		}
		imp = f.reload(imp)
		f.wantDownloads("after the repair", imp, want)
	}
	if keys := f.Blobs.Keys(imp.Stage); len(keys) != 4 {
		t.Errorf("the repaired rows are in the files %v", keys)
	}
}

func TestVerifyLostOriginal(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	restore := f.damage(imp.Raw.Key, damages["a bit is flipped"])
	found, sum := f.verify(true)
	if len(found) != 1 || found[0].Part != integrity.Original || found[0].Repaired || found[0].RepairError == "" || sum.Repaired != 0 {
		t.Errorf("found %+v, want an original that was not repaired", found)
	}
	restore()
	if found, _ := f.verify(false); len(found) > 0 {
		t.Errorf("found %+v after the file was restored", found)
	}
}

// TestVerifyDeletedImports checks that files that are deleted during the verification are not damage.
func TestVerifyDeletedImports(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	must(t, f.Blobs.Delete(f.ctx, imp.Result.Key))
	hidden := hiddenOnce{Store: f.Store, after: func() { must(t, f.DeleteImport(f.ctx, f.org, imp.ID)) }}
	verifier := f.newNode("elsewhere/two", func(_ *fixture, cfg *service.Config) { cfg.Store = &hidden })
	var found []integrity.Damage
	_, err := verifier.Verify(f.ctx, integrity.Options{Repair: true, Report: func(d integrity.Damage) { found = append(found, d) }})
	must(t, err)
	if len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

// hiddenOnce is a store that calls a function after the second call of ViewOne.
type hiddenOnce struct {
	model.Store
	calls int
	after func()
}

func (s *hiddenOnce) ViewOne(ctx context.Context, work func(model.Tx) error) error {
	err := s.Store.ViewOne(ctx, work)
	if s.calls++; s.calls == 2 {
		s.after()
	}
	return err
}

// TestScrub checks that Scrub verifies each import once per period and repairs damage.
func TestScrub(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.ScrubPeriod = time.Hour })
	imports := []model.Import{}
	for range 6 {
		imports = append(imports, f.finishedImport(badFile, ""))
	}
	for _, imp := range imports {
		f.damage(imp.Result.Key, damages["it is missing"])
	}
	repaired := func() (n int) {
		for _, imp := range imports {
			if r, err := f.Blobs.Open(f.ctx, imp.Result.Key); err == nil {
				n++
				must(t, r.Close())
			}
		}
		return n
	}
	var counts []int
	for step := range 64 { // the search may reach the end of the ids once without finding an import
		must(t, f.Scrub(f.ctx))
		if step%10 == 0 {
			counts = append(counts, repaired())
		}
		f.Clock.Advance(time.Minute)
	}
	if counts[0] != 0 || counts[3] < 1 || counts[3] > 3 || repaired() < 5 {
		t.Errorf("repaired results every 10 minutes: %v, finally %d of 6", counts, repaired())
	}
	must(t, newFixture(t).Scrub(f.ctx)) // without a period, it does nothing
}

func TestScrubOff(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.finishedImport(badFile, "")
	f.damage(imp.Result.Key, damages["it is missing"])
	for range 100 {
		must(t, f.Scrub(f.ctx))
		f.Clock.Advance(time.Hour)
	}
	if diff := cmp.Diff(int64(0), f.Counts().DamageFound); diff != "" {
		t.Errorf("damage found (-want +got):\n%s", diff)
	}
}
