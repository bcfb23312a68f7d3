package auth

import (
	"context"
	"time"

	"github.com/intraydata/intray/server/model"
)

// rateLife is how long counts of events are kept. It is longer than a minute because the clocks of
// processes may differ.
const rateLife = 10 * time.Minute

// CountEvents adds n events to a count that all processes share, and returns the new count. name is the
// name of the count, and minute the start of its window.
func (s *Service) CountEvents(ctx context.Context, name string, minute time.Time, n int64) (count int64, err error) {
	if model.OrgScope(ctx) == "" { // the caller may not be authenticated yet
		ctx = model.AcrossOrgs(ctx)
	}
	err = s.env.Store.UpdateOne(ctx, func(tx model.Tx) (err error) {
		count, err = tx.Rates.Add(ctx, name, minute, n)
		return err
	})
	return count, err
}

// ForgetRates deletes old counts of events.
func (s *Service) ForgetRates(ctx context.Context) error {
	before := s.env.Now().Add(-rateLife)
	return model.UpdateInBatches(ctx, s.env.Store, model.DeleteBatch, func(tx model.Tx) (int64, error) {
		return tx.Rates.DeleteBefore(ctx, before, model.DeleteBatch)
	})
}
