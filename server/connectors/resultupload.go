package connectors

import (
	"context"
	"io"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

// Where putting back a result stands.
const (
	putWaiting = "WAITING"
	putDone    = "DONE"
	putFailed  = "FAILED"
)

const (
	// putLease is after how long a result is tried again that a process had in hand
	// which died; while it lives it says so every putBeat.
	putLease, putBeat = 30 * time.Second, 10 * time.Second
	// putTries is how often that is tried: over about two days.
	putTries = 12
)

// QueueResultUpload notes that the result of an import is to go back to where its file came
// from, if a connector says so.
func (s *Service) QueueResultUpload(ctx context.Context, tx model.Tx, imp model.Import) error {
	if imp.Status != model.Successful {
		return nil
	}
	p, err := tx.Pulled.ByImport(ctx, imp.ID)
	if err != nil {
		return model.IgnoreKind(err, model.NotFound)
	}
	c, err := tx.Connectors.Get(ctx, imp.Org, p.ConnectorID)
	if err != nil || c.PutDirectory == "" {
		return model.IgnoreKind(err, model.NotFound)
	}
	p.Put, p.PutDue = putWaiting, s.env.Now()
	return tx.Pulled.Upsert(ctx, p)
}

// DeliverNextResult puts one result back that is due; false says that none is.
func (s *Service) DeliverNextResult(ctx context.Context) (bool, error) {
	if s.cfg.Remotes == nil {
		return false, nil
	}
	var due []model.PulledFile
	err := s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		if due, err = tx.Pulled.ListDueUploads(ctx, s.env.Now(), 1); err != nil || len(due) == 0 {
			return err
		}
		due[0].PutDue = s.env.Now().Add(putLease)
		due[0].PutTries++
		return tx.Pulled.Upsert(ctx, due[0])
	})
	if err != nil || len(due) == 0 {
		return false, err
	}
	beating, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() { s.keepLease(beating, due[0]) })
	trouble := s.uploadResult(ctx, due[0])
	stop()
	beats.Wait()
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	return true, s.finishResultUpload(ctx, due[0], trouble)
}

// keepLease keeps others from a result until ctx ends.
func (s *Service) keepLease(ctx context.Context, p model.PulledFile) {
	tick := time.NewTicker(putBeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.env.Store.Update(ctx, func(tx model.Tx) error {
			now, err := tx.Pulled.Get(ctx, p.ConnectorID, p.File)
			if err != nil || now.Put != putWaiting {
				return model.IgnoreKind(err, model.NotFound)
			}
			now.PutDue = s.env.Now().Add(putLease)
			return tx.Pulled.Upsert(ctx, now)
		})
		if err != nil && ctx.Err() == nil {
			s.env.Log.Warn("a result on its way back may be sent twice", "import", p.ImportID, "error", err)
		}
	}
}

// finishResultUpload notes how it went.
func (s *Service) finishResultUpload(ctx context.Context, p model.PulledFile, trouble error) error {
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		now, err := tx.Pulled.Get(ctx, p.ConnectorID, p.File)
		if err != nil || now.Put != putWaiting {
			return model.IgnoreKind(err, model.NotFound)
		}
		switch {
		case trouble == nil:
			now.Put, now.PutMessage = putDone, intray.Message{}
		case p.PutTries >= putTries:
			now.Put, now.PutMessage = putFailed, s.sentenceOf(trouble)
		default:
			now.PutMessage = s.sentenceOf(trouble)
			now.PutDue = s.cfg.Remotes.NextRun(model.Schedule{Minutes: 5}, s.env.Now(), p.PutTries, s.env.Now())
		}
		return tx.Pulled.Upsert(ctx, now)
	})
}

func (s *Service) uploadResult(ctx context.Context, p model.PulledFile) error {
	c, err := s.Connector(ctx, p.Org, p.ConnectorID)
	if err != nil {
		return err
	}
	imp, err := s.cfg.Imports.Import(ctx, p.Org, p.ImportID)
	if err != nil {
		return err
	}
	credential, err := s.Credential(ctx, c.Org, c.CredentialID)
	if err != nil {
		return err
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
		return err
	}
	from, to := io.Pipe()
	go func() { to.CloseWithError(d.Write(to)) }()
	defer func() { _ = from.Close() }()
	return remote.Upload(ctx, c.PutDirectory, resultName(imp, output.Format(c.PutFormat)), from)
}

// maxResultName is the longest name that servers take, in bytes.
const maxResultName = 255

// resultName names the result of a file so that no two are alike. The name of the file is
// cut where the whole would be too long.
func resultName(imp model.Import, f output.Format) string {
	base, rest := path.Base(imp.Filename), "."+imp.ID+f.Extension()
	base = strings.TrimSuffix(base, path.Ext(base))
	return strings.ToValidUTF8(base[:min(len(base), maxResultName-len(rest))], "") + rest
}
