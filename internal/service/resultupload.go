package service

import (
	"context"
	"io"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
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

// toPutBack notes that the result of an import is to go back to where its file came
// from, if a connector says so.
func (s *Service) toPutBack(ctx context.Context, tx Tx, imp Import) error {
	p, err := tx.Pulled.ByImport(ctx, imp.ID)
	if err != nil {
		return ignore(err, NotFound)
	}
	c, err := tx.Connectors.Get(ctx, imp.Org, p.ConnectorID)
	if err != nil || c.PutDirectory == "" {
		return ignore(err, NotFound)
	}
	p.Put, p.PutDue = putWaiting, s.now()
	return tx.Pulled.Put(ctx, p)
}

// PutBack puts one result back that is due; false says that none is.
func (s *Service) PutBack(ctx context.Context) (bool, error) {
	if s.cfg.Remotes == nil {
		return false, nil
	}
	var due []Pulled
	err := s.cfg.Store.Update(ctx, func(tx Tx) (err error) {
		if due, err = tx.Pulled.ToPut(ctx, s.now(), 1); err != nil || len(due) == 0 {
			return err
		}
		due[0].PutDue = s.now().Add(putLease)
		due[0].PutTries++
		return tx.Pulled.Put(ctx, due[0])
	})
	if err != nil || len(due) == 0 {
		return false, err
	}
	beating, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() { s.keepLease(beating, due[0]) })
	trouble := s.putBack(ctx, due[0])
	stop()
	beats.Wait()
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	return true, s.endPut(ctx, due[0], trouble)
}

// keepLease keeps others from a result until ctx ends.
func (s *Service) keepLease(ctx context.Context, p Pulled) {
	tick := time.NewTicker(putBeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.cfg.Store.Update(ctx, func(tx Tx) error {
			now, err := tx.Pulled.Get(ctx, p.ConnectorID, p.File)
			if err != nil || now.Put != putWaiting {
				return ignore(err, NotFound)
			}
			now.PutDue = s.now().Add(putLease)
			return tx.Pulled.Put(ctx, now)
		})
		if err != nil && ctx.Err() == nil {
			s.cfg.Log.Warn("a result on its way back may be sent twice", "import", p.ImportID, "error", err)
		}
	}
}

// endPut notes how it went.
func (s *Service) endPut(ctx context.Context, p Pulled, trouble error) error {
	ctx, cancel := accepting(ctx)
	defer cancel()
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		now, err := tx.Pulled.Get(ctx, p.ConnectorID, p.File)
		if err != nil || now.Put != putWaiting {
			return ignore(err, NotFound)
		}
		switch {
		case trouble == nil:
			now.Put, now.PutTold = putDone, intray.Message{}
		case p.PutTries >= putTries:
			now.Put, now.PutTold = putFailed, s.sentenceOf(trouble)
		default:
			now.PutTold = s.sentenceOf(trouble)
			now.PutDue = s.cfg.Remotes.NextRun(Schedule{Minutes: 5}, s.now(), p.PutTries, s.now())
		}
		return tx.Pulled.Put(ctx, now)
	})
}

func (s *Service) putBack(ctx context.Context, p Pulled) error {
	c, err := s.Connector(ctx, p.Org, p.ConnectorID)
	if err != nil {
		return err
	}
	imp, err := s.Import(ctx, p.Org, p.ImportID)
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
	d := &Download{Upload: Upload{Org: imp.Org, ImportID: imp.ID}, What: c.PutFormat}
	if err := s.remake(ctx, d); err != nil {
		return err
	}
	from, to := io.Pipe()
	go func() { to.CloseWithError(d.Write(to)) }()
	defer func() { _ = from.Close() }()
	return remote.Put(ctx, c.PutDirectory, putName(imp, output.Format(c.PutFormat)), from)
}

// maxPutName is the longest name that servers take, in bytes.
const maxPutName = 255

// putName names the result of a file so that no two are alike. The name of the file is
// cut where the whole would be too long.
func putName(imp Import, f output.Format) string {
	base, rest := path.Base(imp.Filename), "."+imp.ID+f.Extension()
	base = strings.TrimSuffix(base, path.Ext(base))
	return strings.ToValidUTF8(base[:min(len(base), maxPutName-len(rest))], "") + rest
}
