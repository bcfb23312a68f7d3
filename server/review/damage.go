package review

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/staging"
)

// RunReviewAgain queues an import under review for another run with the same answers. If that would
// discard changes to rows, RunReviewAgain returns a Conflict unless discard is set.
func (s *Service) RunReviewAgain(ctx context.Context, org, id string, discard bool) (imp model.Import, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if imp, err = tx.Imports.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if imp.Status != model.NeedsReview {
			return notInReviewError(imp)
		}
		changes, err := countChanges(ctx, tx, imp)
		switch {
		case err != nil:
			return err
		case changes > 0 && !discard:
			e := model.NewError(model.Conflict, "discards_changes", intray.NewMessage("review.run_discards_changes", intray.Params{"n": changes}))
			e.Changes = changes
			return e
		}
		return s.imports.RunAgain(ctx, tx, &imp)
	})
	return imp, err
}

// StageReviewed stages the rows of a submitted review again, under a new prefix: the rows of the
// run, with the changes in the log of the review.
func (s *Service) StageReviewed(ctx context.Context, imp model.Import, prefix string) (err error) {
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	log, err := model.View(ctx, s.env.Store, func(tx model.Tx) (editLog, error) { return readLog(ctx, tx, imp) })
	if err != nil {
		return err
	}
	base := path.Dir(prefix) + "/base"
	var o openDraft
	defer s.env.DiscardBlobs(context.WithoutCancel(ctx), base)
	defer func() { err = errors.Join(err, o.close()) }()
	if o.staged, err = s.openRunStage(ctx, imp, base); err != nil {
		return err
	}
	if err := s.openOnStage(ctx, imp, &o, log); err != nil {
		return err
	}
	return s.writeFinalRows(ctx, prefix, o.draft.Batches(ctx), schema, func(*intray.Batch) {})
}

// openRunStage opens the rows that the run of a submitted import staged. If they are damaged, it
// stages the rows of the received file again, under the given prefix.
func (s *Service) openRunStage(ctx context.Context, imp model.Import, again string) (*staging.Stage, error) {
	location, err := staging.Find(ctx, s.env.Blobs, imp.RunPrefix(imp.Run)+"/stage")
	if err != nil {
		return nil, err
	}
	staged, err := s.imports.OpenIntactStage(ctx, location)
	if !isDamage(err) {
		return staged, err
	}
	if err := s.imports.StageOriginal(ctx, imp, again); err != nil {
		return nil, fmt.Errorf("stage the received file: %w", err)
	}
	return s.imports.OpenIntactStage(ctx, again)
}
