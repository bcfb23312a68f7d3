package imports

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/staging"
)

// errNotRebuilt means that rebuilt data differs from the data as it was first written.
var errNotRebuilt = errors.New("the rebuilt data differs from the damaged data")

// isStageDamage reports whether err means that staged rows were lost or have changed.
func isStageDamage(err error) bool {
	return errors.Is(err, staging.ErrDamaged) || errors.Is(err, staging.ErrUnfinished)
}

// SuspectStage makes the next OpenStage verify the staged rows of an import if err means that
// they are damaged.
func (s *Service) SuspectStage(imp model.Import, err error) {
	if isStageDamage(err) {
		s.env.Suspect(imp.Stage)
	}
}

// OpenStage opens the staged rows of an import. It first verifies rows of at most
// model.VerifyFirst bytes, and larger rows in which this process has found damage. If the rows
// are damaged, OpenStage rebuilds them from the received file and updates imp.Stage. If that
// fails, it returns a Damaged error. If the rows were deleted, it returns NotFound.
func (s *Service) OpenStage(ctx context.Context, imp *model.Import) (*staging.Stage, error) {
	staged, err := s.OpenIntactStage(ctx, imp.Stage)
	if !isStageDamage(err) {
		return staged, err
	}
	if err := s.startRepair(ctx); err != nil {
		return nil, err
	}
	defer s.endRepair()
	return s.rebuildStage(ctx, imp, err)
}

// OpenIntactStage opens the stage under a prefix. Like OpenStage, it verifies the stage, but it
// rebuilds nothing.
func (s *Service) OpenIntactStage(ctx context.Context, prefix string) (*staging.Stage, error) {
	staged, err := staging.Open(ctx, s.env.Blobs, prefix)
	if err != nil {
		if isStageDamage(err) {
			s.env.CountDamage()
		}
		return nil, fmt.Errorf("open the staged rows: %w", err)
	}
	if staged.DataSize() > model.VerifyFirst && !s.env.IsSuspect(prefix) {
		return staged, nil
	}
	if err := staged.Verify(ctx); err != nil {
		if isStageDamage(err) {
			s.env.CountDamage()
		}
		return nil, errors.Join(fmt.Errorf("open the staged rows: %w", err), staged.Close())
	}
	s.env.ClearSuspect(prefix)
	return staged, nil
}

// startRepair waits until this process is repairing nothing else. A repair needs as much memory
// and processor time as a run.
func (s *Service) startRepair(ctx context.Context) error {
	select {
	case s.repairing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) endRepair() { <-s.repairing }

// rebuildStage rebuilds the staged rows of an import under a new prefix, opens them, and updates
// imp.Stage. damage is the error that opening the rows returned.
func (s *Service) rebuildStage(ctx context.Context, imp *model.Import, damage error) (*staging.Stage, error) {
	now, err := s.Import(ctx, imp.Org, imp.ID)
	if err != nil {
		return nil, err
	}
	_, err = s.Upload(ctx, imp.Org, imp.UploadID)
	switch {
	case model.IsKind(err, model.NotFound), err == nil && now.Stage == "":
		return nil, model.NotFoundError(intray.NewMessage("import.rows_deleted", nil))
	case err != nil:
		return nil, err
	case now.Run != imp.Run || now.Status != imp.Status:
		return nil, importChangedError()
	case now.Stage != imp.Stage: // another call has rebuilt the rows
		s.env.ClearSuspect(imp.Stage)
		imp.Stage = now.Stage
		return s.OpenIntactStage(ctx, now.Stage)
	}
	root, err := s.rebuiltPrefix(now)
	if err != nil {
		return nil, err
	}
	if err := s.env.GuardBlob(ctx, root); err != nil {
		return nil, err
	}
	if err := s.replaceStage(ctx, now, root); err != nil {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), root)
		return nil, s.notRebuilt(ctx, fmt.Errorf("rebuild the staged rows %s: %w", now.Stage, err), damage)
	}
	s.env.ClearSuspect(now.Stage)
	s.env.Log.WarnContext(ctx, "damaged staged rows rebuilt", "import", imp.ID, "stage", now.Stage, "damage", damage)
	imp.Stage = root + "/stage"
	return s.OpenIntactStage(ctx, imp.Stage)
}

// notRebuilt returns the error of a repair that failed: a Damaged error, unless the repair may
// succeed later.
func (s *Service) notRebuilt(ctx context.Context, err, damage error) error {
	if ctx.Err() != nil || model.IsKind(err, model.Unavailable) || model.IsKind(err, model.Conflict) {
		return err
	}
	return fmt.Errorf("%w: %w", model.NewError(model.Damaged, "file_damaged", intray.NewMessage("file.damaged", nil)), errors.Join(damage, err))
}

func importChangedError() error {
	return model.NewError(model.Conflict, "import_changed", intray.NewMessage("import.changed_meanwhile", nil))
}

// rebuiltPrefix returns a new prefix for the staged rows of an import. The prefixes of reviewed
// rows begin with that of the submission, because they are rebuilt in a different way.
func (s *Service) rebuiltPrefix(imp model.Import) (string, error) {
	id, err := s.env.NewID()
	if err != nil {
		return "", err
	}
	if isReviewed(imp) {
		return imp.FinalPrefix() + "/rebuilt-" + id, nil
	}
	return imp.RunPrefix(imp.Run) + "/rebuilt-" + id, nil
}

// isReviewed reports whether a submitted review wrote the staged rows of an import.
func isReviewed(imp model.Import) bool { return strings.HasPrefix(imp.Stage, imp.FinalPrefix()+"/") }

// replaceStage writes the staged rows of an import under the prefix root, verifies that they
// equal the damaged rows, and saves the new location. The blobs under root must be marked as
// trash; replaceStage removes the mark.
func (s *Service) replaceStage(ctx context.Context, imp model.Import, root string) error {
	prefix := root + "/stage"
	write := s.StageOriginal
	if isReviewed(imp) {
		write = s.cfg.StageReviewed
	}
	if err := write(ctx, imp, prefix); err != nil {
		return err
	}
	if err := s.verifyRebuilt(ctx, imp, prefix); err != nil {
		return err
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		now, err := tx.Imports.Get(ctx, imp.Org, imp.ID)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if now.Run != imp.Run || now.Status != imp.Status || now.Stage != imp.Stage {
			return importChangedError()
		}
		now.Stage = prefix
		if err := tx.Imports.UpdateIf(ctx, now, now.Status, now.Run); err != nil {
			return err
		}
		if err := tx.Trash.Remove(ctx, root); err != nil {
			return err
		}
		return tx.Trash.Schedule(ctx, model.Trash{Prefix: imp.Stage, Due: s.env.Now().Add(model.StopGrace)})
	})
}

// StageOriginal stages the rows of the received file of an import again, under a new prefix. If
// the file was lost or has changed, it returns a Damaged error.
func (s *Service) StageOriginal(ctx context.Context, imp model.Import, prefix string) error {
	raw, err := s.openOriginal(ctx, imp)
	if err != nil {
		return err
	}
	defer raw.Close()
	imp.Outcome = nil // the fields must be those before hooks added any
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	if err := s.loadMemory(ctx, &imp); err != nil { // an import that has ended no longer has its copy
		return err
	}
	return recovered(func() error {
		out, writer, err := s.stageRows(ctx, s.env.Blobs, engineRun(ctx, imp, raw, schema), prefix, staging.Config{})
		if writer != nil {
			defer writer.Abort()
		}
		switch {
		case err != nil:
			return err
		case writer == nil || out.Verdict == engine.Broken:
			return fmt.Errorf("%w: the file has no rows", errNotRebuilt)
		}
		_, err = writer.Close(ctx)
		return err
	})
}

// verifyRebuilt returns an error if the rebuilt rows differ from the damaged rows of an import.
// The rows of a finished import must produce the same result. The rows of a review must have the
// same manifest or, if the manifest is damaged, the same numbers of rows and errors.
func (s *Service) verifyRebuilt(ctx context.Context, imp model.Import, prefix string) error {
	rebuilt, err := staging.Open(ctx, s.env.Blobs, prefix)
	if err != nil {
		return err
	}
	defer func() { _ = rebuilt.Close() }()
	if imp.Status == model.Successful {
		err := s.rewriteResult(ctx, imp, rebuilt, func(from io.Reader, approve func(model.StoredFile) error) error {
			digests, err := model.DigestFile(from)
			if err != nil {
				return err
			}
			return approve(digests)
		})
		return err
	}
	m := rebuilt.Manifest()
	old, err := staging.Open(ctx, s.env.Blobs, imp.Stage)
	switch {
	case isStageDamage(err):
		if imp.Outcome == nil || m.Rows != imp.Outcome.DataRows || m.ErrorRows != imp.Outcome.ErrorRows {
			return fmt.Errorf("%w: %d rows, %d of them with errors", errNotRebuilt, m.Rows, m.ErrorRows)
		}
		return nil
	case err != nil:
		return err
	}
	defer func() { _ = old.Close() }()
	if !old.HasSameContent(rebuilt) {
		return fmt.Errorf("%w: its manifest", errNotRebuilt)
	}
	return nil
}

// rewriteResult passes the JSON result of staged rows to the function store, which must call
// approve. approve returns an error unless the result equals the one that the import recorded.
func (s *Service) rewriteResult(ctx context.Context, imp model.Import, staged *staging.Stage, store func(from io.Reader, approve func(model.StoredFile) error) error) error {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	from, to := io.Pipe()
	var writing sync.WaitGroup
	defer writing.Wait()                // the caller closes the stage that it reads
	defer func() { _ = from.Close() }() // stops it
	writing.Go(func() {
		to.CloseWithError(recovered(func() error {
			_, err := output.Write(ctx, to, output.JSON, schema, staged.Batches(ctx))
			return err
		}))
	})
	return store(from, func(d model.StoredFile) error {
		if d.Size != imp.Result.Size || hex.EncodeToString(d.SHA256) != imp.Result.SHA256 {
			return fmt.Errorf("%w: the result has %d bytes, not %d, or a different SHA-256", errNotRebuilt, d.Size, imp.Result.Size)
		}
		return nil
	})
}

// OpenResult opens the JSON result of an upload. It rebuilds a lost or damaged result from the
// staged rows.
func (s *Service) OpenResult(ctx context.Context, u model.Upload) (*model.FileReader, error) {
	r, damage := s.env.OpenFile(ctx, u.Result)
	if !model.IsKind(damage, model.Damaged) {
		return r, damage
	}
	if err := s.startRepair(ctx); err != nil {
		return nil, err
	}
	defer s.endRepair()
	imp, err := s.Import(ctx, u.Org, u.ImportID)
	if err != nil {
		return nil, err
	}
	if r, err := s.env.OpenFile(ctx, imp.Result); !model.IsKind(err, model.Damaged) {
		return r, err // another call has rebuilt the result, or it was deleted
	}
	if err := s.rebuildResult(ctx, &imp); err != nil {
		return nil, s.notRebuilt(ctx, err, damage)
	}
	// The import may have been deleted in the meantime. Then its result must not remain.
	if now, err := s.Upload(ctx, u.Org, u.ID); err != nil || now.Result.Key != imp.Result.Key {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), imp.Result.Key)
		if err == nil {
			err = model.NotFoundError(model.FileMissing)
		}
		return nil, err
	}
	s.env.Log.WarnContext(ctx, "damaged result rebuilt", "import", imp.ID, "damage", damage)
	return s.env.OpenFile(ctx, imp.Result)
}

// rebuildResult writes the JSON result of an import again. The result must equal the one that
// the import recorded.
func (s *Service) rebuildResult(ctx context.Context, imp *model.Import) error {
	staged, err := s.OpenIntactStage(ctx, imp.Stage)
	if isStageDamage(err) {
		staged, err = s.rebuildStage(ctx, imp, err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = staged.Close() }()
	err = s.rewriteResult(ctx, *imp, staged, func(from io.Reader, approve func(model.StoredFile) error) error {
		_, err := s.env.StoreFile(ctx, imp.Result.Key, from, approve)
		return err
	})
	if err != nil {
		s.SuspectStage(*imp, err)
		return fmt.Errorf("rebuild the result %s: %w", imp.Result.Key, err)
	}
	return nil
}
