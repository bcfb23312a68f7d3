package service

import (
	"context"
	"errors"

	"github.com/intraydata/intray"
)

// DeleteImport removes an import and everything it stored. One that runs is
// stopped.
func (s *Service) DeleteImport(ctx context.Context, org, id string) error {
	var imp Import
	err := s.cfg.Store.Update(ctx, func(tx Tx) (err error) {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return describeNotFound(err, importMissing)
		}
		return s.removeImport(ctx, tx, imp)
	})
	if err != nil {
		return err
	}
	s.discardBlobs(ctx, imp.prefix())
	return nil
}

func (s *Service) removeImport(ctx context.Context, tx Tx, imp Import) error {
	if err := tx.Outbox.EraseImport(ctx, imp.ID); err != nil {
		return err
	}
	if err := tx.Imports.Delete(ctx, imp.Org, imp.ID); err != nil {
		return err
	}
	if err := tx.Uploads.Delete(ctx, imp.Org, imp.UploadID); err != nil && !IsKind(err, NotFound) {
		return err
	}
	schema, err := tx.Schemas.Get(ctx, imp.Org, imp.SchemaID)
	if err == nil && schema.Inline {
		err = tx.Schemas.Delete(ctx, imp.Org, imp.SchemaID)
	}
	if err != nil && !IsKind(err, NotFound) {
		return err
	}
	if err := s.receipt(ctx, tx, imp, onRequest, imp.deletableParts()...); err != nil {
		return err
	}
	// A run that is being stopped may still write for a moment.
	return tx.Trash.Schedule(ctx, Trash{Prefix: imp.prefix(), Due: s.now().Add(stopWithin)})
}

// DeleteUpload removes an upload, the file that was received and the result.
// The import stays as a record without them. While the import is under way it
// is a Conflict.
func (s *Service) DeleteUpload(ctx context.Context, org, id string) error {
	var imp Import
	err := s.cfg.Store.Update(ctx, func(tx Tx) error {
		u, err := tx.Uploads.Get(ctx, org, id)
		if err != nil {
			return describeNotFound(err, uploadMissing)
		}
		if imp, err = tx.Imports.Get(ctx, org, u.ImportID); err != nil {
			return err
		}
		if imp.Status != Successful && imp.Status != Failed {
			return newError(Conflict, "not_finished", intray.NewMessage("upload.import_not_finished", intray.Params{"status": string(imp.Status)}))
		}
		if err := tx.Uploads.Delete(ctx, org, id); err != nil {
			return err
		}
		if err := s.receipt(ctx, tx, imp, onRequest, imp.deletableParts()...); err != nil {
			return err
		}
		return tx.Trash.Schedule(ctx, Trash{Prefix: imp.prefix(), Due: s.now()})
	})
	if err != nil {
		return err
	}
	s.discardBlobs(ctx, imp.prefix())
	return nil
}

// receipt keeps what was deleted.
func (s *Service) receipt(ctx context.Context, tx Tx, imp Import, reason string, parts ...DeletedPart) error {
	id, err := s.newID()
	if err != nil {
		return err
	}
	return tx.Deletions.Insert(ctx, Deletion{ID: id, Org: imp.Org, ImportID: imp.ID, Made: s.now(), Reason: reason, Parts: parts})
}

// deletableParts are those that an import has.
func (imp Import) deletableParts() []DeletedPart {
	parts := []DeletedPart{}
	if imp.Raw.Key != "" {
		parts = append(parts, DeletedPart{Originals, imp.Raw.Size, imp.Raw.SHA256})
	}
	if imp.Result.Key != "" {
		parts = append(parts, DeletedPart{Results, imp.Result.Size, imp.Result.SHA256})
	}
	if imp.Outcome != nil {
		parts = append(parts, DeletedPart{Part: Problems})
	}
	return parts
}

// EmptyTrash removes what is due to go, at most sweepAtMost blobs.
func (s *Service) EmptyTrash(ctx context.Context) error { return s.emptyTrash(ctx) }

// emptyTrash removes the blobs that are due, and then the note of them. Rows are
// deleted with trash for what they named, so this is when the store forgets.
func (s *Service) emptyTrash(ctx context.Context) error {
	var due []Trash
	err := s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		due, err = tx.Trash.ListDue(ctx, s.now(), sweepAtMost)
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	var gone []Trash
	var troubles []error
	for _, t := range due {
		if err := s.deleteBlobs(ctx, t.Prefix); err != nil {
			troubles = append(troubles, err)
			continue
		}
		gone = append(gone, t)
	}
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		for _, t := range gone {
			if err := tx.Trash.Remove(ctx, t.Prefix); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.cfg.Store.Forget(ctx)
	}
	return errors.Join(append(troubles, err)...)
}
