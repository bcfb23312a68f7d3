package connectors

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// These are the states of the upload of a result, in model.PulledFile.Put.
const (
	UploadWaiting = "WAITING"
	UploadDone    = "DONE"
	UploadFailed  = "FAILED"
)

const (
	// uploadLease is how long a result is reserved for a process. A live process
	// renews the lease every renewInterval.
	uploadLease, renewInterval = 30 * time.Second, 10 * time.Second
	// maxLease is the longest remaining lease that is expected, even if the clocks of processes
	// differ. The shortest wait before another attempt is longer.
	maxLease = 2 * uploadLease
	// uploadTries is the maximum number of attempts. They span about two days.
	uploadTries = 12
)

// maxRetried is the maximum number of uploads that one transaction makes due again.
const maxRetried = 1000

// ResultUploads returns a page of the results of a connector that were uploaded or are to be
// uploaded, newest first.
func (s *Service) ResultUploads(ctx context.Context, org, id string, page model.PageRequest) (model.Page[model.PulledFile], error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (model.Page[model.PulledFile], error) {
		if _, err := tx.Connectors.Get(ctx, org, id); err != nil {
			return model.Page[model.PulledFile]{}, model.DescribeNotFound(err, model.ConnectorMissing)
		}
		return tx.Pulled.ListUploads(ctx, id, page)
	})
}

// retryResultUploads makes all failed uploads of a connector due, except results that are being
// uploaded.
func (s *Service) retryResultUploads(ctx context.Context, connectorID string) error {
	return model.UpdateInBatches(ctx, s.env.Store, maxRetried, func(tx model.Tx) (int64, error) {
		now := s.env.Now()
		return tx.Pulled.RetryUploads(ctx, connectorID, now, now.Add(maxLease), maxRetried)
	})
}

// countFailedUploads sets FailedUploads of connectors of an organization.
func countFailedUploads(ctx context.Context, tx model.Tx, org string, list ...*model.Connector) error {
	counts, err := tx.Pulled.CountFailedUploads(ctx, org)
	for _, c := range list {
		c.FailedUploads = counts[c.ID]
	}
	return err
}

// QueueResultUpload queues the upload of an import's result, if the import is
// SUCCESSFUL and was created by a connector that uploads results.
func (s *Service) QueueResultUpload(ctx context.Context, tx model.Tx, imp model.Import) error {
	if imp.Status != model.Successful {
		return nil
	}
	// The transaction has already changed the import, which locks the usage of the organization. Locking
	// the connector, too, could cause a deadlock, because fetching a file locks them in the other order.
	return tx.Pulled.QueueUpload(ctx, imp.ID, s.env.Now())
}

// DeliverNextResult uploads the result that has been due for the longest time, and
// reports whether a result was due. It calls claimed, which may be nil, as soon as it has claimed one.
func (s *Service) DeliverNextResult(ctx context.Context, claimed func()) (bool, error) {
	if s.cfg.Remotes == nil {
		return false, nil
	}
	// Claiming takes a global lock, so check first.
	if found, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (bool, error) { return tx.Pulled.IsUploadDue(ctx, s.env.Now()) }); err != nil || !found {
		return false, err
	}
	var due []model.PulledFile
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		if due, err = tx.Pulled.ListDueUploads(ctx, s.env.Now(), 1); err != nil || len(due) == 0 {
			return err
		}
		due[0].PutDue = s.env.Now().Add(uploadLease)
		due[0].PutTries++
		return tx.Pulled.Upsert(ctx, due[0])
	})
	if err != nil || len(due) == 0 {
		return false, err
	}
	if claimed != nil {
		claimed()
	}
	ctx = model.InOrg(ctx, due[0].Org)
	leased, release := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renewLease(leased, due[0]) })
	failure := s.uploadResult(ctx, due[0])
	release()
	renewing.Wait()
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	return true, s.storeUpload(ctx, due[0], failure)
}

// renewLease renews the lease of a result until ctx ends.
func (s *Service) renewLease(ctx context.Context, f model.PulledFile) {
	tick := time.NewTicker(renewInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.env.Store.Update(ctx, func(tx model.Tx) error {
			now, err := tx.Pulled.Get(ctx, f.ConnectorID, f.File)
			if err != nil || now.Put != UploadWaiting {
				return model.IgnoreKind(err, model.NotFound)
			}
			now.PutDue = s.env.Now().Add(uploadLease)
			return tx.Pulled.Upsert(ctx, now)
		})
		if err != nil && ctx.Err() == nil {
			s.env.Log.Warn("lease of a result not renewed; it may be uploaded twice", "import", f.ImportID, "error", err)
		}
	}
}

// storeUpload stores and reports the outcome of an attempt. If storeUpload fails, the lease
// expires and the result is uploaded again under the same name.
func (s *Service) storeUpload(ctx context.Context, f model.PulledFile, failure error) error {
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	kind, message := "", intray.Message{}
	if failure != nil {
		kind, message = s.classifyFailure(failure), s.messageOf(failure)
	}
	final := f.PutTries >= uploadTries || kind == model.ResultDeleted
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		now, err := tx.Pulled.Get(ctx, f.ConnectorID, f.File)
		if err != nil || now.Put != UploadWaiting {
			return model.IgnoreKind(err, model.NotFound)
		}
		now.PutKind, now.PutMessage = kind, message
		if failure == nil {
			now.Put = UploadDone
			return tx.Pulled.Upsert(ctx, now)
		}
		if now.PutTries != f.PutTries {
			return nil // another attempt has begun, and its outcome counts
		}
		c, err := tx.Connectors.Get(ctx, f.Org, f.ConnectorID)
		if err != nil {
			return err
		}
		switch {
		case c.PutDirectory == "":
			now.Put, now.PutKind, now.PutMessage = "", "", intray.Message{}
			return tx.Pulled.Upsert(ctx, now)
		case errors.Is(failure, errUploadsOff):
			return nil // results are uploaded again; this one after its lease
		}
		if err := countFailedUploads(ctx, tx, c.Org, &c); err != nil {
			return err
		}
		if now.Put = UploadFailed; !final {
			now.Put = UploadWaiting
			now.PutDue = s.cfg.Remotes.NextRun(model.Schedule{Minutes: 5}, s.env.Now(), f.PutTries, s.env.Now())
		}
		if err := tx.Pulled.Upsert(ctx, now); err != nil || c.FailedUploads > 0 && !final {
			return err
		}
		return s.cfg.Webhooks.AnnounceDeliveryFailure(ctx, tx, c, now, s.env.Now())
	})
	if errors.Is(failure, errUploadsOff) {
		return err
	}
	s.env.Observer.ResultUploaded(failure == nil)
	if failure != nil {
		s.logFailedUpload(ctx, f, kind, final, failure)
	}
	return err
}

// logFailedUpload logs a failed attempt. The error is logged only if Intray caused it, because
// other errors may contain file names.
func (s *Service) logFailedUpload(ctx context.Context, f model.PulledFile, kind string, final bool, failure error) {
	level, text := slog.LevelWarn, "upload of a result failed; trying again"
	if final {
		level, text = slog.LevelError, "upload of a result failed for good"
	}
	attrs := []slog.Attr{
		slog.String("org", f.Org), slog.String("connector", f.ConnectorID), slog.String("import", f.ImportID),
		slog.String("kind", kind), slog.Int("attempt", f.PutTries),
	}
	if kind == internalKind {
		attrs = append(attrs, slog.Any("error", failure))
	}
	s.env.Log.LogAttrs(ctx, level, text, attrs...)
}

// errUploadsOff is the error of uploadResult if the connector no longer uploads results.
var errUploadsOff = errors.New("the connector does not upload results")

func (s *Service) uploadResult(ctx context.Context, f model.PulledFile) error {
	c, err := s.Connector(ctx, f.Org, f.ConnectorID)
	switch {
	case err != nil:
		return err
	case c.PutDirectory == "":
		return errUploadsOff
	}
	imp, err := s.cfg.Imports.Import(ctx, f.Org, f.ImportID)
	if err != nil {
		return resultError(err)
	}
	credential, err := s.Credential(ctx, c.Org, c.CredentialID)
	if err != nil {
		return credentialMissingError(err)
	}
	login, err := s.loginOf(credential)
	if err != nil {
		return err
	}
	remote, err := s.cfg.Remotes.Open(ctx, login)
	if err != nil {
		return err
	}
	defer remote.Close()
	d := &imports.Download{Upload: model.Upload{Org: imp.Org, ImportID: imp.ID}, What: c.PutFormat}
	if err := s.cfg.Imports.OpenConverted(ctx, d); err != nil {
		return resultError(err)
	}
	from, to := io.Pipe()
	var writing sync.WaitGroup
	writing.Go(func() { to.CloseWithError(d.Write(to)) })
	err = remote.Upload(ctx, c.PutDirectory, resultName(imp, output.Format(c.PutFormat)), from)
	_ = from.Close()
	writing.Wait()
	return err
}

// resultError converts NotFound to the error that reports a deleted result.
func resultError(err error) error {
	if model.IsKind(err, model.NotFound) {
		return &missingError{model.ResultDeleted, intray.NewMessage("connector.result_deleted", nil)}
	}
	return err
}

// maxResultName is the maximum length of a result's file name, in bytes. Most
// servers accept this length.
const maxResultName = 255

// resultName returns the file name of a result. It consists of the original file
// name, shortened if necessary, and the id of the import, which makes it unique.
func resultName(imp model.Import, f output.Format) string {
	base, rest := path.Base(imp.Filename), "."+imp.ID+f.Extension()
	base = strings.TrimSuffix(base, path.Ext(base))
	return strings.ToValidUTF8(base[:min(len(base), maxResultName-len(rest))], "") + rest
}
