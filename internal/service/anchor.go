package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/intraydata/intray/internal/blob"
)

// anchor is the blob by which a process sees that it has the blobs that belong
// to the store.
const anchor = "anchor"

// Anchor makes sure that the store's files are among the blobs that this
// process sees: where several processes share a database, they must share the
// blobs as well, or each would take the files of the others for deleted.
func (s *Service) Anchor(ctx context.Context) error {
	r, err := s.cfg.Blobs.Open(ctx, anchor)
	if err == nil {
		return r.Close()
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return fmt.Errorf("look for the anchor: %w", err)
	}
	used, err := s.used(ctx)
	if err != nil {
		return err
	}
	if used {
		return errors.New("the files of this database are not in this data folder: give all processes that share a database the same blobs folder, or put the right one back")
	}
	w, err := s.cfg.Blobs.Create(ctx, anchor)
	if err != nil {
		return fmt.Errorf("lay the anchor: %w", err)
	}
	defer w.Abort()
	return w.Commit()
}

// used says whether any organization has an import.
func (s *Service) used(ctx context.Context) (used bool, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) error {
		orgs, err := tx.Accounts.Orgs(ctx)
		if err != nil {
			return err
		}
		for _, org := range orgs {
			_, total, err := tx.Imports.List(ctx, org.ID, 0, 1)
			if err != nil {
				return err
			}
			used = used || total > 0
		}
		return nil
	})
	return used, err
}
