package retention

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// DeleteImport deletes an import and its blobs. If the import is running, it cancels the run.
func (s *Service) DeleteImport(ctx context.Context, org, id string) error {
	return s.deleteImport(ctx, org, id, nil)
}

// deleteImport implements DeleteImport. If left is not nil, the import is deleted only as long as left
// returns true, and there is no receipt unless the import has a file.
func (s *Service) deleteImport(ctx context.Context, org, id string, left func(model.Import) bool) error {
	if err := s.endReview(ctx, org, id, left); err != nil {
		return err
	}
	if err := s.dropEdits(ctx, org, id); err != nil {
		return err
	}
	var imp model.Import
	err := s.env.UpdateToFree(ctx, func(tx model.Tx) (err error) {
		if imp, err = importToDelete(ctx, tx, org, id, left); err != nil {
			return err
		}
		return s.removeImport(ctx, tx, imp, left == nil)
	})
	if err != nil {
		return err
	}
	s.env.DiscardBlobs(ctx, imp.Prefix())
	return nil
}

// importToDelete returns an import. It returns NotFound if the person has come back, so that left returns
// false.
func importToDelete(ctx context.Context, tx model.Tx, org, id string, left func(model.Import) bool) (model.Import, error) {
	imp, err := tx.Imports.Get(ctx, org, id)
	if err == nil && left != nil && !left(imp) {
		return imp, model.NotFoundError(model.ImportMissing)
	}
	return imp, model.DescribeNotFound(err, model.ImportMissing)
}

const (
	// unseenLife is how long an ephemeral import remains after its page was last seen.
	unseenLife = time.Hour
	// abandonedLife is how long an import that a person began on a page waits for its file. It is longer
	// than an upload can take.
	abandonedLife = 48 * time.Hour
)

// ForgetUnseen deletes imports that people left: ephemeral ones whose page was closed without deleting
// them, and those whose file never arrived. It deletes at most MaintenanceBatch of each.
func (s *Service) ForgetUnseen(ctx context.Context) error {
	now := s.env.Now()
	unseen, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.ImportRef, error) {
		return tx.Embedded.Unseen(ctx, now.Add(-unseenLife), model.MaintenanceBatch)
	})
	abandoned, failed := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.ImportRef, error) {
		return tx.Embedded.Abandoned(ctx, now.Add(-abandonedLife), model.MaintenanceBatch)
	})
	err = errors.Join(err, failed)
	forget := func(list []model.ImportRef, left func(model.Import) bool) {
		for _, imp := range list {
			err = errors.Join(err, model.IgnoreKind(s.deleteImport(ctx, imp.Org, imp.ID, left), model.NotFound))
		}
	}
	forget(unseen, func(imp model.Import) bool { return imp.IsEphemeral() && imp.Seen.Before(now.Add(-unseenLife)) })
	forget(abandoned, func(imp model.Import) bool { return imp.Status == model.AwaitingUpload })
	return err
}

// endReview ends a review with a long log, so that dropEdits can delete the log. Nobody is notified,
// because the import is about to be deleted. If the deletion is interrupted, the import has failed
// with a message that says so, and can be deleted again.
func (s *Service) endReview(ctx context.Context, org, id string, left func(model.Import) bool) error {
	long, err := model.View(ctx, s.env.Store, func(tx model.Tx) (bool, error) { return hasLongReview(ctx, tx, org, id) })
	if err != nil || !long {
		return err
	}
	return s.env.UpdateToFree(ctx, func(tx model.Tx) error {
		long, err := hasLongReview(ctx, tx, org, id)
		if err != nil || !long {
			return err
		}
		imp, err := importToDelete(ctx, tx, org, id, left)
		if err != nil {
			return err
		}
		imp.Status, imp.Modified = model.Failed, s.env.Now()
		imp.Outcome = s.env.FailedOutcome(intray.NewMessage("import.deletion_interrupted", nil))
		if err := model.ReturnLinkUse(ctx, tx, imp); err != nil {
			return err
		}
		return tx.Imports.UpdateIf(ctx, imp, model.NeedsReview, imp.Run)
	})
}

// hasLongReview reports whether an import is under review and has at least DeleteBatch changes.
func hasLongReview(ctx context.Context, tx model.Tx, org, id string) (bool, error) {
	imp, err := tx.Imports.Get(ctx, org, id)
	if err != nil || imp.Status != model.NeedsReview {
		return false, model.IgnoreKind(err, model.NotFound)
	}
	last, err := tx.Edits.LastSeq(ctx, org, id, imp.Run)
	return last >= model.DeleteBatch, err
}

// removeImport deletes the rows of an import. always is set if a deletion without a file gets a receipt, too.
func (s *Service) removeImport(ctx context.Context, tx model.Tx, imp model.Import, always bool) error {
	if err := tx.Outbox.EraseImport(ctx, imp.ID); err != nil {
		return err
	}
	if imp.Sync != model.SyncMappings {
		if err := tx.Memory.ForgetImport(ctx, imp.Org, imp.ID); err != nil {
			return err
		}
	}
	if imp.Status.InProgress() {
		if err := model.ReturnLinkUse(ctx, tx, imp); err != nil {
			return err
		}
	}
	if err := tx.Imports.Delete(ctx, imp.Org, imp.ID); err != nil {
		return err
	}
	if err := tx.Uploads.Delete(ctx, imp.Org, imp.UploadID); err != nil && !model.IsKind(err, model.NotFound) {
		return err
	}
	schema, err := tx.Schemas.Get(ctx, imp.Org, imp.SchemaID)
	if err == nil && schema.Inline {
		err = tx.Schemas.Delete(ctx, imp.Org, imp.SchemaID)
	}
	if err != nil && !model.IsKind(err, model.NotFound) {
		return err
	}
	parts := deletableParts(imp)
	// A receipt would keep the hash of the file of an ephemeral import. An import of a session is ephemeral
	// only if the session was deleted.
	if keeps := !imp.IsEphemeral() || imp.SessionID != ""; keeps && (always || len(parts) > 0) {
		if err := s.insertReceipt(ctx, tx, imp, onRequest, parts...); err != nil {
			return err
		}
	}
	// A run may continue to write until it is canceled.
	return s.scheduleDeletion(ctx, tx, imp, s.env.Now().Add(model.StopGrace))
}

// scheduleDeletion schedules the deletion of all blobs of an import. A client that sent the file directly
// to the blob store can send it again as soon as it is deleted, so it is deleted once more a day later.
func (s *Service) scheduleDeletion(ctx context.Context, tx model.Tx, imp model.Import, due time.Time) error {
	if imp.Raw.Key == imp.DirectKey() {
		if err := tx.Trash.Schedule(ctx, model.Trash{Prefix: imp.Raw.Key, Due: s.env.Now().Add(model.GuardFor)}); err != nil {
			return err
		}
	}
	return tx.Trash.Schedule(ctx, model.Trash{Prefix: imp.Prefix(), Due: due})
}

// DeleteUpload deletes an upload, its received file and its result. The import remains without
// them. If the import has not ended, DeleteUpload returns a Conflict.
func (s *Service) DeleteUpload(ctx context.Context, org, id string) error {
	var imp model.Import
	err := s.env.UpdateToFree(ctx, func(tx model.Tx) error {
		u, err := tx.Uploads.Get(ctx, org, id)
		if err != nil {
			return model.DescribeNotFound(err, model.UploadMissing)
		}
		if imp, err = tx.Imports.Get(ctx, org, u.ImportID); err != nil {
			return err
		}
		if imp.Status != model.Successful && imp.Status != model.Failed {
			return model.NewError(model.Conflict, "not_finished", intray.NewMessage("upload.import_not_finished", intray.Params{"status": string(imp.Status)}))
		}
		if err := tx.Uploads.Delete(ctx, org, id); err != nil {
			return err
		}
		// The import keeps its problems.
		parts := slices.DeleteFunc(deletableParts(imp), func(p model.DeletedPart) bool { return p.Part == model.Problems })
		if err := s.insertReceipt(ctx, tx, imp, onRequest, parts...); err != nil {
			return err
		}
		// Otherwise, the files would expire later, with a receipt for a second deletion.
		emptied := imp
		emptied.Raw.Key, emptied.Result.Key, emptied.Stage = "", "", ""
		if err := tx.Imports.UpdateIf(ctx, emptied, imp.Status, imp.Run); err != nil {
			return err
		}
		return s.scheduleDeletion(ctx, tx, imp, s.env.Now())
	})
	if err != nil {
		return err
	}
	s.env.DiscardBlobs(ctx, imp.Prefix())
	return nil
}

// insertReceipt stores the receipt for a deletion.
func (s *Service) insertReceipt(ctx context.Context, tx model.Tx, imp model.Import, reason string, parts ...model.DeletedPart) error {
	id, err := s.env.NewID()
	if err != nil {
		return err
	}
	return tx.Deletions.Insert(ctx, model.Deletion{ID: id, Org: imp.Org, ImportID: imp.ID, Made: s.env.Now(), Reason: reason, Parts: parts})
}

// deletableParts returns the parts of an import that exist.
func deletableParts(imp model.Import) []model.DeletedPart {
	parts := []model.DeletedPart{}
	if imp.Raw.Key != "" {
		parts = append(parts, model.DeletedPart{Part: model.Originals, Size: imp.Raw.Size, SHA256: imp.Raw.SHA256})
	}
	if imp.Result.Key != "" {
		parts = append(parts, model.DeletedPart{Part: model.Results, Size: imp.Result.Size, SHA256: imp.Result.SHA256})
	}
	if imp.Outcome != nil {
		parts = append(parts, model.DeletedPart{Part: model.Problems})
	}
	return parts
}

// maxTrashTime is how long EmptyTrash deletes blobs if there are many.
const maxTrashTime = 8 * time.Second

// EmptyTrash deletes the blobs of the trash entries that are due, until none is left, maxTrashTime has
// passed, or a deletion fails. It also makes the store overwrite deleted rows. The store needs no other
// call for that, because every deletion of rows also schedules trash.
func (s *Service) EmptyTrash(ctx context.Context) error {
	for began := time.Now(); ; {
		round := time.Now()
		n, err := s.emptyTrash(ctx)
		if err != nil || n < model.MaintenanceBatch || time.Since(began) > maxTrashTime {
			return err
		}
		rest(ctx, round)
	}
}

// emptyTrash deletes the blobs of at most MaintenanceBatch trash entries, and returns the number of
// entries that it has tried to delete. While deletions are suspended, it deletes nothing.
func (s *Service) emptyTrash(ctx context.Context) (n int, err error) {
	due, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.Trash, error) {
		return tx.Trash.ListDue(ctx, s.env.Now(), model.MaintenanceBatch)
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	deleted := make([]model.Trash, 0, len(due))
	var failures []error
	for i, t := range due {
		err := s.env.DeleteBlobs(ctx, t.Prefix)
		if errors.Is(err, blob.ErrHeld) {
			due = due[:i] // the rest is deleted after the backup
			break
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		deleted = append(deleted, t)
	}
	err = s.env.UpdateToFree(ctx, func(tx model.Tx) error {
		for _, t := range deleted {
			if err := tx.Trash.Remove(ctx, t.Prefix); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.env.Store.Forget(ctx)
	}
	return len(due), errors.Join(append(failures, err)...)
}
