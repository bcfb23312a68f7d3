package service

import (
	"context"
	"sync"

	"github.com/intraydata/intray/internal/draft"
)

// Progress says how far a change of rows has come that this process makes.
type Progress struct {
	// Op and Kind are those of the change.
	Op, Kind string
	// Done and Total count rows; Total is 0 as long as it is not known.
	Done, Total int64
}

// makings are the changes that this process makes just now, by import.
type makings struct {
	mu sync.Mutex
	of map[string]Progress
}

func (m *makings) tell(id string, p Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[id] = p
}

// end forgets a change, unless another one was told of since.
func (m *makings) end(id, op string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of[id].Op == op {
		delete(m.of, id)
	}
}

// Making tells of the change that this process makes to the rows of an import just
// now, if there is one.
func (s *Service) Making(id string) (Progress, bool) {
	s.makings.mu.Lock()
	defer s.makings.mu.Unlock()
	p, under := s.makings.of[id]
	return p, under
}

// Watched is what whoever looks at a review must know to be up to date.
type Watched struct {
	Status Status
	Run    int
	// Change is the last entry of the log of the run.
	Change int64
	// Totals are those of the rows; nil where there are none to review.
	Totals *draft.Totals
}

// Watch gives that of an import. Totals are those of before, if nothing was changed
// since.
func (s *Service) Watch(ctx context.Context, org, id string, before Watched) (now Watched, err error) {
	var imp Import
	err = s.cfg.Store.View(ctx, func(tx Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return named(err, importMissing)
		}
		now = Watched{Status: imp.Status, Run: imp.Run}
		now.Change, err = tx.Edits.Last(ctx, org, id, imp.Run)
		return err
	})
	if err != nil || reviewable(imp) != nil {
		return now, err
	}
	if before.Totals != nil && before.Run == now.Run && before.Change == now.Change {
		now.Totals = before.Totals
		return now, nil
	}
	err = s.Rows(ctx, imp, func(d *draft.Draft) error {
		t := d.Totals()
		now.Totals = &t
		return nil
	})
	return now, err
}
