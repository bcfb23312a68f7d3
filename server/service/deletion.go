package service

import (
	"context"
	"errors"

	"github.com/intraydata/intray"
)

// DeleteImport removes an import and everything it stored. One that runs is
// stopped.
func (s *retentionService) DeleteImport(ctx context.Context, org, id string) error {
	var imp Import
	err := s.env.Store.Update(ctx, func(tx Tx) (err error) {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return describeNotFound(err, importMissing)
		}
		return s.removeImport(ctx, tx, imp)
	})
	if err != nil {
		return err
	}
	s.env.DiscardBlobs(ctx, imp.prefix())
	return nil
}

func (s *retentionService) removeImport(ctx context.Context, tx Tx, imp Import) error {
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
	if err := s.insertReceipt(ctx, tx, imp, onRequest, deletableParts(imp)...); err != nil {
		return err
	}
	// A run that is being stopped may still write for a moment.
	return tx.Trash.Schedule(ctx, Trash{Prefix: imp.prefix(), Due: s.env.Now().Add(stopGrace)})
}

// DeleteUpload removes an upload, the file that was received and the result.
// The import stays as a record without them. While the import is under way it
// is a Conflict.
func (s *retentionService) DeleteUpload(ctx context.Context, org, id string) error {
	var imp Import
	err := s.env.Store.Update(ctx, func(tx Tx) error {
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
		if err := s.insertReceipt(ctx, tx, imp, onRequest, deletableParts(imp)...); err != nil {
			return err
		}
		return tx.Trash.Schedule(ctx, Trash{Prefix: imp.prefix(), Due: s.env.Now()})
	})
	if err != nil {
		return err
	}
	s.env.DiscardBlobs(ctx, imp.prefix())
	return nil
}

// receipt keeps what was deleted.
func (s *retentionService) insertReceipt(ctx context.Context, tx Tx, imp Import, reason string, parts ...DeletedPart) error {
	id, err := s.env.NewID()
	if err != nil {
		return err
	}
	return tx.Deletions.Insert(ctx, Deletion{ID: id, Org: imp.Org, ImportID: imp.ID, Made: s.env.Now(), Reason: reason, Parts: parts})
}

// deletableParts are those that an import has.
func deletableParts(imp Import) []DeletedPart {
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

// EmptyTrash removes the blobs that are due, at most maintenanceBatch, and then the note of them. Rows are
// deleted with trash for what they named, so this is when the store forgets.
func (s *retentionService) EmptyTrash(ctx context.Context) error {
	var due []Trash
	err := s.env.Store.View(ctx, func(tx Tx) (err error) {
		due, err = tx.Trash.ListDue(ctx, s.env.Now(), maintenanceBatch)
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	var gone []Trash
	var troubles []error
	for _, t := range due {
		if err := s.env.DeleteBlobs(ctx, t.Prefix); err != nil {
			troubles = append(troubles, err)
			continue
		}
		gone = append(gone, t)
	}
	err = s.env.Store.Update(ctx, func(tx Tx) error {
		for _, t := range gone {
			if err := tx.Trash.Remove(ctx, t.Prefix); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.env.Store.Forget(ctx)
	}
	return errors.Join(append(troubles, err)...)
}
