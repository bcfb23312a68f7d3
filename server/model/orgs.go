package model

import (
	"context"
	"sync/atomic"
)

// specialOrgs are the organizations with settings of their own, as this process last read them. The
// zero value contains none.
type specialOrgs struct {
	byID atomic.Pointer[map[string]Org]
}

func (s *specialOrgs) get(id string) Org {
	if byID := s.byID.Load(); byID != nil {
		return (*byID)[id]
	}
	return Org{}
}

// LoadOrgs reads the settings of organizations that apply to all processes. Call it every 2 s, so that
// changes become effective.
func (e *Env) LoadOrgs(ctx context.Context) error {
	list, err := Get(ctx, e.Store, func(tx Tx) ([]Org, error) { return tx.Accounts.SpecialOrgs(ctx) })
	if err != nil {
		return err
	}
	byID := map[string]Org{}
	for _, org := range list {
		byID[org.ID] = org
	}
	e.specialOrgs.byID.Store(&byID)
	return nil
}

// Limit returns the limit of a quota for an organization. 0 means no limit. A limit in the store takes
// precedence over Quotas.
func (e *Env) Limit(org string, quota Quota) int64 {
	if limit, isSet := e.specialOrgs.get(org).Limits[quota]; isSet {
		return limit
	}
	return e.Quotas.Limit(org, quota)
}
