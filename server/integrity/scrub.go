package integrity

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

// scrub is the progress of Scrub.
type scrub struct {
	// period is the period in which each import is checked once. 0 means that none is checked.
	period time.Duration
	// last is the id of the import that was checked last.
	last string
	// owed is the number of imports that are due. Its fraction is left for the next call.
	owed float64
	// imports is the number of stored imports when they were last counted.
	imports int64
	counted time.Time
	// previous is the time of the previous call.
	previous time.Time
}

const (
	// countInterval is the interval between two counts of the stored imports.
	countInterval = time.Hour
	// scrubBatch is the maximum number of imports that one call of Scrub checks.
	scrubBatch = 20
)

// Scrub checks as many imports as have become due since the previous call, so that each import is
// checked once per period. It repairs damage and logs it. The first call only starts the clock. Calls
// continue where the previous one ended, and begin at a random import. Call Scrub every few seconds from a
// single goroutine. A call checks at most 20 imports, so a very large store takes longer than the period.
func (s *Service) Scrub(ctx context.Context) error {
	now, progress := s.env.Now(), &s.scrub
	elapsed := min(max(now.Sub(progress.previous), 0), time.Minute) // the clock may have been set
	first := progress.previous.IsZero()
	progress.previous = now
	if first || progress.period <= 0 {
		return nil
	}
	if now.Sub(progress.counted).Abs() >= countInterval {
		n, err := s.countImports(ctx)
		if err != nil {
			return err
		}
		progress.imports, progress.counted = n, now
	}
	progress.owed = min(progress.owed+float64(progress.imports)*elapsed.Seconds()/progress.period.Seconds(), scrubBatch)
	due := int(progress.owed)
	if due < 1 {
		return nil
	}
	progress.owed -= float64(due)
	return s.scrubNext(ctx, due)
}

func (s *Service) countImports(ctx context.Context) (int64, error) {
	ctx = model.AcrossOrgs(ctx)
	usages, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.Usage, error) { return tx.Usage.List(ctx) })
	all := model.Sum(usages)
	return all.AwaitingUpload + all.InProgress + all.NeedsReview + all.Successful + all.Failed, err
}

// scrubNext checks the next imports.
func (s *Service) scrubNext(ctx context.Context, due int) error {
	if s.scrub.last == "" {
		random, err := s.env.NewID()
		if err != nil {
			return err
		}
		s.scrub.last = random
	}
	page, err := s.page(ctx, s.scrub.last, due)
	if err != nil {
		return err
	}
	v := &verification{Service: s, Options: Options{Repair: true, Report: s.logDamage}}
	for _, ref := range page {
		if err := v.verifyImport(ctx, ref); err != nil {
			return err
		}
		s.scrub.last = ref.ID
	}
	if len(page) < due {
		s.scrub.last = "!" // before all ids
	}
	return nil
}

func (s *Service) logDamage(d Damage) {
	args := []any{"import", d.Import, "org", d.Org, "part", d.Part, "key", d.Key, "cause", d.Cause}
	if d.Repaired {
		s.env.Log.Warn("damaged file repaired", args...)
		return
	}
	s.env.Log.Error("a damaged file cannot be repaired; restore it from a backup", append(args, "repair", d.RepairError)...)
}
