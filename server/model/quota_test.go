package model_test

import (
	"context"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
)

// usageStore is a store that contains only the usage of one organization.
type usageStore struct {
	model.Store
	model.UsageRows
	used  model.Usage
	reads int
}

func (s *usageStore) View(_ context.Context, work func(model.Tx) error) error {
	return work(model.Tx{Usage: s})
}

func (s *usageStore) Get(context.Context, string) (model.Usage, error) {
	s.reads++
	return s.used, nil
}

// TestRecentUsage checks when the usage of an organization is read again. Usage below 90 % of the
// limits is relied on for a minute, or until the process has added 1 % of a limit.
func TestRecentUsage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	store := &usageStore{used: model.Usage{Org: "a"}}
	env := &model.Env{Store: store, Clock: func() time.Time { return now }, Quotas: model.Quotas{ForAll: map[model.Quota]int64{model.SessionQuota: 1000, model.StoredBytesQuota: 0}}}
	add := func(n int64) error {
		return env.CheckQuotasEarly(t.Context(), "a", model.Addition{Quota: model.SessionQuota, N: n}, model.Addition{Quota: model.StoredBytesQuota, N: 1 << 40})
	}
	for _, step := range []struct {
		name    string
		used    int64
		passed  time.Duration
		adds    []int64
		reads   int
		refused bool
	}{
		{name: "far from the limit", used: 0, adds: []int64{1, 1, 1, 7}, reads: 1},
		{name: "1 % added", used: 10, adds: []int64{1, 9, 1}, reads: 2},
		{name: "another percent added at once", used: 21, adds: []int64{10, 11, 11}, reads: 3},
		{name: "a minute later", used: 900, passed: time.Minute + time.Second, adds: []int64{1, 1}, reads: 1},
		{name: "nothing to add", used: 900, adds: []int64{0, -5}, reads: 0},
		{name: "90 % used", used: 901, passed: time.Minute + time.Second, adds: []int64{1, 1, 1}, reads: 3},
		{name: "at the limit", used: 999, adds: []int64{1, 1}, reads: 2},
		{name: "over the limit", used: 1000, adds: []int64{1}, reads: 1, refused: true},
		{name: "room again", used: 5, adds: []int64{1, 1}, reads: 1},
		{name: "the clock was set back", used: 5, passed: -time.Hour, adds: []int64{1, 1}, reads: 1},
	} {
		store.used.Sessions, store.reads = step.used, 0
		now = now.Add(step.passed)
		for _, n := range step.adds {
			if err := add(n); model.IsKind(err, model.OverQuota) != step.refused || err != nil && !step.refused {
				t.Errorf("%s: %v", step.name, err)
			}
		}
		if store.reads != step.reads {
			t.Errorf("%s: %d reads, want %d", step.name, store.reads, step.reads)
		}
	}
}
