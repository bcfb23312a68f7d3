package service

import (
	"context"
	"fmt"

	"github.com/intraydata/intray"
)

// move brings an import into its next state and its upload with it. It is the
// only way that a status changes. imp is written as it is, beside the status;
// its run number must still be the one in the store.
func (s *Service) move(ctx context.Context, tx Tx, imp *Import, next Status) error {
	from := imp.Status
	if !from.MayBecome(next) {
		return fmt.Errorf("an import cannot go from %s to %s", from, next)
	}
	imp.Status, imp.Modified = next, s.now()
	if next == Successful || next == Failed {
		imp.Memory = nil // it runs no more
	}
	if next == Pending {
		imp.Node = ""
		if imp.Queued.Before(imp.Modified) {
			imp.Queued = imp.Modified
		}
	}
	if err := tx.Imports.Move(ctx, *imp, from, imp.Run); err != nil {
		return err
	}
	if err := s.follow(ctx, tx, *imp); err != nil {
		return err
	}
	return s.announce(ctx, tx, *imp)
}

// follow brings the upload up to its import.
func (s *Service) follow(ctx context.Context, tx Tx, imp Import) error {
	u, err := tx.Uploads.Get(ctx, imp.Org, imp.UploadID)
	if err != nil {
		return err
	}
	u.Status, u.Filename, u.User, u.Raw, u.Result = imp.Status.Upload(), imp.Filename, imp.User, imp.Raw, imp.Result
	if o := imp.Outcome; o != nil && imp.Status != Pending {
		u.TotalRows = o.DataRows
		u.Account = Account{InvalidRows: o.RowsWithError, Errors: validations(o.Listed)}
	}
	return tx.Uploads.Save(ctx, u)
}

// validations are the notices that are about a broken rule.
func validations(listed []intray.Notice) (list []intray.Notice) {
	for _, n := range listed {
		if n.Type == intray.Validation {
			list = append(list, n)
		}
	}
	return list
}
