package imports

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
)

// SelectImports returns at most limit imports of all organizations that match a filter, newest first. It
// is for operators.
func (s *Service) SelectImports(ctx context.Context, f model.ImportFilter, limit int) (list []model.Import, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) error {
		refs, err := tx.Imports.Select(ctx, f, limit)
		if err != nil {
			return err
		}
		list = make([]model.Import, len(refs))
		for i, ref := range refs {
			if list[i], err = tx.Imports.Get(ctx, ref.Org, ref.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// ImportDeliveries returns the webhook messages about an import, oldest first, without their contents.
func (s *Service) ImportDeliveries(ctx context.Context, id string) ([]model.Delivery, error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) ([]model.Delivery, error) { return tx.Outbox.OfImport(ctx, id) })
}

// RequeueImport makes a Pending import whose next attempt is later due now. It returns a Conflict for
// any other import. The end of an import is final, because clients may have received it.
func (s *Service) RequeueImport(ctx context.Context, id string) error {
	return s.operate(ctx, id, func(tx model.Tx, imp model.Import) error {
		switch {
		case imp.Status == model.Successful || imp.Status == model.Failed:
			return operationRefused(intray.NewMessage("import.status_final", intray.Params{"status": string(imp.Status)}))
		case imp.Status != model.Pending:
			return operationRefused(intray.NewMessage("import.not_requeueable", intray.Params{"status": string(imp.Status)}))
		case !imp.Queued.After(s.env.Now()):
			return operationRefused(intray.NewMessage("import.already_due", nil))
		}
		imp.Queued = s.env.Now()
		if err := tx.Imports.UpdateIf(ctx, imp, imp.Status, imp.Run); err != nil {
			return err
		}
		s.env.Log.Info("an operator requeued an import", "import", imp.ID, "org", imp.Org)
		return model.EnqueueRun(ctx, tx)
	})
}

// CancelImport makes a Pending or Running import fail. The process that runs it notices within watchInterval
// and stops the run. For any other import, CancelImport returns a Conflict.
func (s *Service) CancelImport(ctx context.Context, id string) error {
	return s.operate(ctx, id, func(tx model.Tx, imp model.Import) error {
		if imp.Status != model.Pending && imp.Status != model.Running {
			return operationRefused(intray.NewMessage("import.not_cancelable", intray.Params{"status": string(imp.Status)}))
		}
		s.env.Log.Warn("an operator canceled an import", "import", imp.ID, "org", imp.Org, "run", imp.Run, "status", imp.Status)
		return s.failRun(ctx, tx, imp, intray.NewMessage("import.canceled_by_operator", nil))
	})
}

// operate calls a function with an import of any organization, which it locks.
func (s *Service) operate(ctx context.Context, id string, change func(tx model.Tx, imp model.Import) error) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		refs, err := tx.Imports.Select(ctx, model.ImportFilter{ID: id}, 1)
		if err != nil {
			return err
		}
		if len(refs) == 0 {
			return model.NotFoundError(model.ImportMissing)
		}
		imp, err := tx.Imports.Get(ctx, refs[0].Org, id)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		return change(tx, imp)
	})
}

func operationRefused(reason intray.Message) error {
	return model.NewError(model.Conflict, "operation_refused", reason)
}
