package auth

import (
	"cmp"
	"context"
	"maps"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// OrgUsage is an organization and what it uses.
type OrgUsage struct {
	model.Org
	Usage model.Usage
}

// OrgUsages returns what organizations use, oldest organization first. If name is not "", it returns
// only the organization with this name, or NotFound.
func (s *Service) OrgUsages(ctx context.Context, name string) ([]OrgUsage, error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (list []OrgUsage, err error) {
		orgs, err := tx.Accounts.Orgs(ctx)
		if err != nil {
			return nil, err
		}
		usages, err := tx.Usage.List(ctx)
		if err != nil {
			return nil, err
		}
		byOrg := map[string]model.Usage{}
		for _, u := range usages {
			byOrg[u.Org] = u
		}
		for _, org := range orgs {
			if name == "" || org.Name == name {
				list = append(list, OrgUsage{org, byOrg[org.ID]})
			}
		}
		if name != "" && len(list) == 0 {
			return nil, orgMissing(name)
		}
		return list, nil
	})
}

func orgMissing(name string) error {
	return model.NotFoundError(intray.NewMessage("organization.not_found", intray.Params{"name": name}))
}

// orgByName returns an organization, and locks it in an Update.
func orgByName(ctx context.Context, tx model.Tx, name string) (model.Org, error) {
	org, err := tx.Accounts.OrgByName(ctx, name)
	if model.IsKind(err, model.NotFound) {
		err = orgMissing(name)
	}
	return org, err
}

// SetOrgLimits changes limits of an organization, which take precedence over those in the
// configuration. A nil limit removes the limit of the organization, so that the configuration applies
// again. Running processes observe the change within seconds.
func (s *Service) SetOrgLimits(ctx context.Context, name string, changes map[model.Quota]*int64) (model.Org, error) {
	var org model.Org
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		if org, err = orgByName(ctx, tx, name); err != nil {
			return err
		}
		limits := maps.Clone(org.Limits)
		if limits == nil {
			limits = map[model.Quota]int64{}
		}
		for quota, limit := range changes {
			if delete(limits, quota); limit != nil {
				limits[quota] = *limit
			}
		}
		org.Limits = limits
		return tx.Accounts.SetOrgLimits(ctx, org.ID, limits)
	})
	if err == nil {
		s.env.Log.Info("limits of an organization changed", "org", org.ID, "limits", org.Limits)
	}
	return org, err
}

// DisableOrg makes all keys, links, sessions and connectors of an organization invalid, until EnableOrg
// is called. Running imports finish, and waiting imports wait. Other processes observe the change within
// seconds. It returns a Conflict if the organization is being deleted.
func (s *Service) DisableOrg(ctx context.Context, name string) (model.Org, error) {
	return s.setOrgState(ctx, name, model.OrgDisabled)
}

// EnableOrg ends the effect of DisableOrg.
func (s *Service) EnableOrg(ctx context.Context, name string) (model.Org, error) {
	return s.setOrgState(ctx, name, model.OrgActive)
}

func (s *Service) setOrgState(ctx context.Context, name string, state model.OrgState) (model.Org, error) {
	var org model.Org
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		if org, err = orgByName(ctx, tx, name); err != nil {
			return err
		}
		if org.State == model.OrgDeleting {
			return model.NewError(model.Conflict, "organization_deleting", intray.NewMessage("organization.deleting", intray.Params{"name": name}))
		}
		org.State = state
		if err := tx.Accounts.SetOrgState(ctx, org.ID, state); err != nil || state != model.OrgActive {
			return err
		}
		return model.EnqueueRun(ctx, tx) // its imports may be waiting
	})
	if err != nil {
		return org, err
	}
	s.env.Log.Info("state of an organization changed", "org", org.ID, "state", cmp.Or(string(state), "ACTIVE"))
	return org, s.env.LoadOrgs(ctx)
}

// MarkOrgDeleting ends the use of a disabled organization for good, so that its data can be deleted. It
// returns a Conflict if the organization is not disabled. To repeat it does no harm.
func (s *Service) MarkOrgDeleting(ctx context.Context, name string) (model.Org, error) {
	var org model.Org
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		if org, err = orgByName(ctx, tx, name); err != nil || org.State == model.OrgDeleting {
			return err
		}
		if org.State != model.OrgDisabled {
			return model.NewError(model.Conflict, "organization_in_use", intray.NewMessage("organization.in_use", intray.Params{"name": name}))
		}
		org.State = model.OrgDeleting
		return tx.Accounts.SetOrgState(ctx, org.ID, org.State)
	})
	if err == nil {
		s.env.Log.Warn("organization is being deleted", "org", org.ID)
	}
	return org, err
}
