package service

import (
	"context"
	"errors"
	"time"

	"github.com/intraydata/intray/server/model"
)

// DeletedOrg counts what was deleted with an organization.
type DeletedOrg struct {
	Imports, Sessions int64
	// Rows is the number of all other rows, such as schemas and keys.
	Rows int64
}

// maxOrgDeletion is how long one round of maintenance deletes organizations.
const maxOrgDeletion = 5 * time.Second

// DeleteOrg deletes everything of an organization, and then the organization itself. The organization
// must be disabled. If DeleteOrg is interrupted, maintenance continues, and DeleteOrg can be called
// again. The result counts only what this call has deleted.
func (s *Service) DeleteOrg(ctx context.Context, name string) (model.Org, DeletedOrg, error) {
	var deleted DeletedOrg
	org, err := s.MarkOrgDeleting(ctx, name)
	if err != nil {
		return org, deleted, err
	}
	for done := false; !done && err == nil; {
		done, err = s.deleteOrgStep(ctx, org.ID, &deleted)
	}
	return org, deleted, err
}

// deleteOrgs continues the deletion of organizations for at most maxOrgDeletion.
func (s *Service) deleteOrgs(ctx context.Context) error {
	orgs, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.SpecialOrgs(ctx) })
	began := time.Now()
	for _, org := range orgs {
		if org.State != model.OrgDeleting {
			continue
		}
		var failure error
		for done := false; !done && failure == nil && time.Since(began) < maxOrgDeletion; {
			done, failure = s.deleteOrgStep(ctx, org.ID, &DeletedOrg{})
		}
		err = errors.Join(err, failure)
	}
	return err
}

// deleteOrgStep deletes at most MaintenanceBatch imports and sessions or, if none is left, DeleteBatch
// rows of each kind. It reports whether nothing is left, not even the organization. Several processes can
// call it at the same time.
func (s *Service) deleteOrgStep(ctx context.Context, org string, deleted *DeletedOrg) (done bool, err error) {
	var imports, sessions []string
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		if imports, err = tx.OrgData.Imports(ctx, org, model.MaintenanceBatch); err != nil {
			return err
		}
		sessions, err = tx.OrgData.Sessions(ctx, org, model.MaintenanceBatch)
		return err
	})
	if err != nil {
		return false, err
	}
	for _, id := range imports {
		err := s.DeleteImport(ctx, org, id)
		if err == nil {
			deleted.Imports++
		}
		if err := model.IgnoreKind(err, model.NotFound); err != nil { // another process has deleted it
			return false, err
		}
	}
	for _, id := range sessions {
		if err := s.DeleteSession(ctx, org, id); err != nil {
			return false, err
		}
		deleted.Sessions++
	}
	if len(imports)+len(sessions) > 0 {
		return false, s.EmptyTrash(ctx)
	}
	var rows int64
	err = s.env.UpdateToFree(ctx, func(tx model.Tx) (err error) {
		rows, err = tx.OrgData.DeleteRows(ctx, org, model.DeleteBatch)
		return err
	})
	if deleted.Rows += rows; err != nil || rows > 0 {
		return false, err
	}
	// If a request or a run has just added something, it is deleted in the next step.
	err = s.env.UpdateToFree(ctx, func(tx model.Tx) error { return tx.OrgData.DeleteOrg(ctx, org) })
	if model.IsKind(err, model.NotFound) {
		return false, nil
	}
	if err == nil {
		s.env.Log.Info("organization deleted", "org", org)
		err = s.env.Store.Forget(ctx)
	}
	return err == nil, err
}
