package model

import (
	"context"
	"sync/atomic"

	"github.com/intraydata/intray"
)

// OrgState is the state of an organization.
type OrgState string

// The states of an organization.
const (
	// OrgActive is the state of an organization that is in use.
	OrgActive OrgState = ""
	// OrgDisabled means that nobody can use the organization. Its imports do not start.
	OrgDisabled OrgState = "DISABLED"
	// OrgDeleting means that an operator has deleted the organization, and that its data is being
	// deleted. It cannot be used again.
	OrgDeleting OrgState = "DELETING"
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

// CheckOrg returns a Denied error if an organization is disabled. A process notices within seconds that
// another one has disabled it.
func (e *Env) CheckOrg(org string) error {
	if e.specialOrgs.get(org).State == OrgActive {
		return nil
	}
	return NewError(Denied, "organization_disabled", intray.NewMessage("organization.disabled", nil))
}
