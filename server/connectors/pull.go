package connectors

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

const (
	// keepPulls is the number of runs that are kept for each connector.
	keepPulls = 200
	// fetchRetries is the maximum number of times that an interrupted download is resumed.
	fetchRetries = 5
	// maxFetched is the maximum number of files that a run fetches. If there are
	// more, the next run starts immediately.
	maxFetched = 1000
	// maxSkipped is the maximum number of failed downloads that the record of a run describes as
	// skipped files.
	maxSkipped = 100
	// maxTurn is the period after which a run starts no further downloads, so that other
	// connectors can run.
	maxTurn = 5 * time.Minute
	// fetchGrace and fetchPace limit the duration of a download to fetchGrace plus one second
	// for every fetchPace bytes of the file. A slower download would delay other files.
	fetchGrace, fetchPace = 5 * time.Minute, 64 << 10
	// runsPerOrg is the maximum number of concurrent runs of an organization in all
	// processes. At most failingPerOrg of them may belong to connectors whose last
	// run failed, so that slow servers of an organization do not block its other
	// connectors. A connector that exceeds a limit is postponed by postponeFor.
	runsPerOrg, failingPerOrg, postponeFor = 2, 1, 2 * time.Second
)

// runSet holds the connector runs of this process.
type runSet struct {
	mu     sync.Mutex
	active []model.Connector
	// unstored holds runs that have ended but whose end could not be stored.
	unstored []*connectorRun
}

// mustWait reports whether a connector that was claimed must be postponed, because others of its
// organization are running.
func mustWait(ctx context.Context, tx model.Tx, c model.Connector) (bool, error) {
	running, err := tx.Connectors.Running(ctx, c.Org)
	runs, failing := 0, 0
	for _, other := range running {
		if other.ID == c.ID {
			continue
		}
		runs++
		if other.Failures > 0 {
			failing++
		}
	}
	return runs >= runsPerOrg || c.Failures > 0 && failing >= failingPerOrg, err
}

// maxPostponed is the maximum number of connectors that one transaction postpones.
const maxPostponed = 100

// claimConnector claims the connector that has been due for the longest time, and postpones those
// that must wait. If no connector can run, it returns one without an ID.
func (s *Service) claimConnector(ctx context.Context) (c model.Connector, err error) {
	s.runs.mu.Lock()
	defer s.runs.mu.Unlock()
	err = s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		for range maxPostponed {
			if c, err = tx.Connectors.ClaimDue(ctx, s.env.Node, s.env.Now()); err != nil {
				return model.IgnoreKind(err, model.NotFound) // what was postponed is kept
			}
			if wait, err := mustWait(ctx, tx, c); err != nil || !wait {
				return err
			}
			c.Node, c.Next = "", s.env.Now().Add(postponeFor)
			if err := tx.Connectors.Save(ctx, c); err != nil {
				return err
			}
			c = model.Connector{}
		}
		return nil
	})
	switch {
	case c.ID == "":
	case err == nil:
		s.runs.active = append(s.runs.active, c)
	default:
		// The claim may have been committed even though the response was lost.
		s.runs.unstored = append(s.runs.unstored, &connectorRun{connector: c, stopped: true})
	}
	return c, err
}

// RunNextConnector runs the connector that has been due for the longest time, and
// reports whether there was a due connector. It calls claimed, which may be nil, as soon as it has claimed
// one.
func (s *Service) RunNextConnector(ctx context.Context, claimed func()) (bool, error) {
	if s.cfg.Remotes == nil {
		return false, nil
	}
	if err := s.storeUnstoredEnds(ctx); err != nil {
		return false, err
	}
	// Claiming takes a global lock, so check first.
	if due, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (bool, error) { return tx.Connectors.IsDue(ctx, s.env.Now()) }); err != nil || !due {
		return false, err
	}
	id, err := s.env.NewID()
	if err != nil {
		return false, err
	}
	c, err := s.claimConnector(ctx)
	if err != nil || c.ID == "" {
		return false, err
	}
	if claimed != nil {
		claimed()
	}
	run := &connectorRun{service: s, connector: c, PullRun: model.PullRun{ID: id, ConnectorID: c.ID, Began: s.env.Now(), Skipped: []intray.Message{}}}
	defer func() {
		s.runs.mu.Lock()
		defer s.runs.mu.Unlock()
		s.runs.active = slices.DeleteFunc(s.runs.active, func(active model.Connector) bool { return active.ID == c.ID })
		if err != nil {
			s.runs.unstored = append(s.runs.unstored, run)
		}
	}()
	ctx = model.InOrg(ctx, c.Org)
	err = s.endRun(ctx, run, run.run(ctx))
	return true, err
}

// endRun stores the end of a run. If the process stopped the run, endRun stores no record of it.
func (s *Service) endRun(ctx context.Context, run *connectorRun, failure error) error {
	run.stopped = ctx.Err() != nil
	run.Ended, run.Succeeded = s.env.Now(), failure == nil
	if failure != nil {
		run.Kind, run.Message = s.classifyFailure(failure), s.messageOf(failure)
		if run.Kind == internalKind {
			run.Message = internalError
		}
		s.logFailedRun(run, failure)
	}
	if !run.stopped {
		s.env.Observer.ConnectorRan(run.Succeeded)
	}
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	return s.storeEnd(ctx, run, false)
}

// logFailedRun logs a failed run, unless the process stopped it. The error is logged only if
// Intray caused it, because other errors may contain file names.
func (s *Service) logFailedRun(run *connectorRun, failure error) {
	switch {
	case run.stopped:
	case run.Kind == internalKind:
		s.env.Log.Error("run of a connector failed", "org", run.connector.Org, "connector", run.connector.ID, "run", run.ID, "error", failure)
	default:
		s.env.Log.Warn("run of a connector failed", "org", run.connector.Org, "connector", run.connector.ID, "run", run.ID, "kind", run.Kind)
	}
}

// storeUnstoredEnds stores the ends of runs that could not be stored before. Otherwise, their
// connectors would stay claimed and could not run until this process ends.
func (s *Service) storeUnstoredEnds(ctx context.Context) error {
	s.runs.mu.Lock()
	defer s.runs.mu.Unlock()
	var errs error
	s.runs.unstored = slices.DeleteFunc(s.runs.unstored, func(run *connectorRun) bool {
		isActive := slices.ContainsFunc(s.runs.active, func(c model.Connector) bool { return c.ID == run.connector.ID })
		if isActive {
			return true // it was released and has been claimed again
		}
		err := s.storeEnd(ctx, run, true)
		errs = errors.Join(errs, err)
		return err == nil
	})
	return errs
}

// storeEnd releases the connector of a run and stores its end. again means that an
// earlier attempt may have succeeded.
func (s *Service) storeEnd(ctx context.Context, run *connectorRun, again bool) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		c, err := tx.Connectors.Get(ctx, run.connector.Org, run.connector.ID)
		if err != nil || c.Node != s.env.Node {
			return model.IgnoreKind(err, model.NotFound)
		}
		c.Node = ""
		if run.stopped {
			return tx.Connectors.Save(ctx, c)
		}
		if again && c.Last.Equal(run.Began) {
			return nil
		}
		if c.Failures++; run.Succeeded {
			c.Failures = 0
		}
		c.Last = run.Began
		c.Next = s.cfg.Remotes.NextRun(c.Schedule, c.Last, c.Failures, s.env.Now())
		if run.more && run.Succeeded {
			c.Next = s.env.Now()
		}
		if err := errors.Join(tx.Connectors.Save(ctx, c), tx.Pulls.Insert(ctx, run.PullRun), tx.Pulls.Trim(ctx, c.ID, keepPulls)); err != nil || c.Failures != 1 {
			return err
		}
		return s.cfg.Webhooks.AnnounceConnectorFailure(ctx, tx, c, run.PullRun)
	})
}

// internalKind is the kind of internalError.
const internalKind = "internal"

// classifyFailure returns the code that identifies an error for programs.
func (s *Service) classifyFailure(err error) string {
	var missing *missingError
	if errors.As(err, &missing) {
		return missing.kind
	}
	var own *model.Error
	if errors.As(err, &own) && own.Kind == model.OverQuota {
		return own.Code
	}
	return cmp.Or(s.cfg.Remotes.Classify(err).Kind, internalKind)
}

// internalError is the message for a bug or an outage of Intray itself.
var internalError = intray.NewMessage("connector.internal_error", nil)

// messageOf returns the human-readable message for an error. It is a full sentence.
func (s *Service) messageOf(err error) intray.Message {
	var own *model.Error
	var missing *missingError
	switch message := intray.MessageOf(err); {
	case errors.As(err, &own), errors.As(err, &missing):
		return message
	case s.cfg.Remotes.Classify(err).Kind == "":
		return internalError
	default:
		return intray.NewMessage("connector.failed", intray.Params{"problem": message})
	}
}

// connectorRun is the state of a connector run.
type connectorRun struct {
	model.PullRun
	service   *Service
	connector model.Connector
	login     Login
	remote    Remote
	doc       schema.Doc
	schema    *intray.Schema
	// more is true if the run fetched at least one file, but reached maxFetched or maxTurn
	// before it had tried all files.
	more bool
	// stopped is true if the process stopped the run.
	stopped bool
}

// missingError reports that the credential or the schema of a connector, or a result, was deleted.
type missingError struct {
	kind    string
	message intray.Message
}

func (e *missingError) Error() string { return e.message.String() }

// Describe returns the message for people.
func (e *missingError) Describe() intray.Message { return e.message }

// credentialMissingError converts NotFound to the error that reports a deleted credential.
func credentialMissingError(err error) error {
	if model.IsKind(err, model.NotFound) {
		return &missingError{"credential_deleted", intray.NewMessage("connector.credential_deleted", nil)}
	}
	return err
}

func (r *connectorRun) run(ctx context.Context) error {
	if err := r.prepare(ctx); err != nil {
		return err
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	defer func() { r.remote.Close() }()
	listing, err := r.remote.List(ctx, r.connector.Directory, r.connector.Pattern)
	if err != nil {
		return err
	}
	r.Listed, r.Skipped = len(listing.Files), append(r.Skipped, listing.Skipped...)
	plan, err := r.planFetch(ctx, listing.Files)
	if err != nil {
		return err
	}
	r.Waiting = len(plan.Wait)
	return r.importFiles(ctx, plan.Fetch)
}

// importFiles imports files until the run reaches maxFetched or maxTurn. Files that cannot be
// fetched do not count towards maxFetched and do not start another run.
func (r *connectorRun) importFiles(ctx context.Context, files []model.RemoteFile) error {
	skipped := 0
	for _, f := range files {
		if r.Fetched >= maxFetched || r.service.env.Now().Sub(r.Began) > maxTurn {
			r.more = r.Fetched > 0
			break
		}
		err := r.importFile(ctx, f)
		if err == nil {
			continue
		}
		if model.IsKind(err, model.TooMany) { // the next run fetches the rest
			r.Skipped = append(r.Skipped, r.service.messageOf(err))
			return nil
		}
		if model.IsKind(err, model.OverQuota) || !r.service.cfg.Remotes.Classify(err).Skippable {
			return err
		}
		if skipped++; skipped <= maxSkipped {
			r.Skipped = append(r.Skipped, r.service.messageOf(err))
		}
	}
	if skipped > maxSkipped {
		r.Skipped = append(r.Skipped, intray.NewMessage("connector.more_left_for_later", intray.Params{"n": skipped - maxSkipped}))
	}
	return nil
}

// prepare reads the connector's credential and schema.
func (r *connectorRun) prepare(ctx context.Context) error {
	s, c := r.service, r.connector
	credential, err := s.Credential(ctx, c.Org, c.CredentialID)
	if err != nil {
		return credentialMissingError(err)
	}
	if r.login, err = s.loginOf(credential); err != nil {
		return err
	}
	_, r.doc, err = s.cfg.Imports.MergedDocument(ctx, c.Org, imports.Draft{SchemaID: c.SchemaID})
	if model.IsKind(err, model.NotFound) {
		return &missingError{"schema_deleted", intray.NewMessage("connector.schema_deleted", nil)}
	}
	if err != nil {
		return err
	}
	r.schema, err = schemas.ParseSaved(r.doc)
	return err
}

// open logs in, and pins the host key on the first connection to a server.
func (r *connectorRun) open(ctx context.Context) (err error) {
	if r.remote, err = r.service.cfg.Remotes.Open(ctx, r.login); err != nil {
		return err
	}
	if r.login.HostKey != "" {
		return nil
	}
	r.login.HostKey = r.remote.Report().HostKey
	c, err := r.service.Credential(ctx, r.connector.Org, r.connector.CredentialID)
	if err == nil {
		err = r.service.pinHostKey(ctx, c, r.login.HostKey)
	}
	if err != nil {
		r.remote.Close()
	}
	return err
}

// planFetch decides which files to fetch, and updates the remembered versions.
func (r *connectorRun) planFetch(ctx context.Context, listed []model.RemoteFile) (plan PullPlan, err error) {
	err = r.service.env.Store.Update(ctx, func(tx model.Tx) error {
		memory, err := tx.Pulled.ListByConnector(ctx, r.connector.ID)
		if err != nil {
			return err
		}
		plan = r.service.cfg.Remotes.PlanPull(memory, listed, r.service.env.Now())
		for _, f := range plan.Keep {
			f.Org, f.ConnectorID = r.connector.Org, r.connector.ID
			if err := tx.Pulled.Upsert(ctx, f); err != nil {
				return err
			}
		}
		for _, f := range plan.Drop {
			if err := tx.Pulled.Delete(ctx, r.connector.ID, f); err != nil {
				return err
			}
		}
		return nil
	})
	return plan, err
}

// importFile fetches a file and creates an import from it.
func (r *connectorRun) importFile(ctx context.Context, f model.RemoteFile) error {
	s := r.service
	imp, err := s.cfg.Imports.DraftImport(r.connector.Org, imports.Draft{SchemaID: r.connector.SchemaID, Filename: path.Base(f.Path)})
	if err != nil {
		return err
	}
	if imp.Schema, err = schemas.Encode(r.doc); err != nil {
		return err
	}
	attempt, err := s.env.NewID()
	if err != nil {
		return err
	}
	if err := s.env.CheckQuotasEarly(ctx, imp.Org, model.ImportAdditions(max(f.Size, 1))...); err != nil {
		return err
	}
	key := imp.RawKey(attempt)
	if err := s.env.GuardBlob(ctx, key); err != nil {
		return err
	}
	if imp.Raw, err = r.storeFile(ctx, key, f); err != nil {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		return err
	}
	s.env.CrashPoint("pull.stored")
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	created := false
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		created, err = r.recordImport(ctx, tx, imp, f)
		return err
	})
	s.env.CrashPoint("pull.made")
	if err == nil && created {
		r.Fetched++
	} else if err == nil || model.IsRolledBack(err) {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
	}
	return err
}

// storeFile fetches a file and stores it as a blob.
func (r *connectorRun) storeFile(ctx context.Context, key string, f model.RemoteFile) (model.File, error) {
	from, to := io.Pipe()
	var fetching sync.WaitGroup
	fetching.Go(func() { to.CloseWithError(r.fetchFile(ctx, f, to)) })
	stored, err := r.service.env.StoreFile(ctx, key, from, nil)
	// If writing the blob failed, nothing reads the rest of the pipe. Closing the pipe then ends
	// the download, which still uses the connection.
	_ = from.Close()
	fetching.Wait()
	return model.File{Key: key, Size: stored.Size, SHA256: hex.EncodeToString(stored.SHA256)}, err
}

// recordImport stores the import of a file, and reports whether it did. It returns
// false if another run has stored one, and an error if the connector was deleted.
func (r *connectorRun) recordImport(ctx context.Context, tx model.Tx, imp model.Import, f model.RemoteFile) (bool, error) {
	if _, err := tx.Connectors.Get(ctx, r.connector.Org, r.connector.ID); err != nil {
		return false, err
	}
	known, err := tx.Pulled.Get(ctx, r.connector.ID, f)
	if model.IsKind(err, model.NotFound) {
		known, err = model.PulledFile{Org: r.connector.Org, ConnectorID: r.connector.ID, File: f, Since: r.service.env.Now()}, nil
	}
	if err != nil || known.Taken {
		return false, err
	}
	if err := r.service.env.CheckQuotas(ctx, tx, imp.Org, model.ImportAdditions(imp.Raw.Size)...); err != nil {
		return false, err
	}
	known.Taken, known.ImportID = true, imp.ID
	imp.Status = model.Pending
	for _, step := range []func() error{
		func() error { return tx.Trash.Remove(ctx, imp.Raw.Key) },
		func() error { return tx.Imports.Insert(ctx, imp) },
		func() error { return tx.Uploads.Insert(ctx, imports.NewUpload(imp, r.schema)) },
		func() error { return tx.Pulled.Upsert(ctx, known) },
		func() error { return model.EnqueueRun(ctx, tx) },
	} {
		if err := step(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// fetchFile downloads a file to the given writer. If the connection is lost, it reconnects and
// resumes the download.
func (r *connectorRun) fetchFile(ctx context.Context, f model.RemoteFile, to io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, fetchGrace+time.Duration(f.Size/fetchPace)*time.Second)
	defer cancel()
	remotes := r.service.cfg.Remotes
	maxSize := min(r.schema.Settings.MaxFileSize, r.service.cfg.MaxFileSize)
	offset := int64(0)
	for retries := 0; ; retries++ {
		n, err := r.remote.Fetch(ctx, f, offset, maxSize, to)
		offset += n
		if err == nil {
			return nil
		}
		if !remotes.Classify(err).Resumable || retries == fetchRetries || ctx.Err() != nil {
			return err
		}
		remote, second := remotes.Open(ctx, r.login)
		if second != nil {
			return &resumeError{err, second}
		}
		r.remote.Close()
		r.remote = remote
	}
}

// resumeError combines the error of a download with the error of the attempt to resume it.
type resumeError struct{ first, second error }

func (e *resumeError) Error() string { return fmt.Sprintf("%v (resume: %v)", e.first, e.second) }

func (e *resumeError) Unwrap() []error { return []error{e.first, e.second} }

// Describe returns the message for people.
func (e *resumeError) Describe() intray.Message {
	return intray.NewMessage("connector.failed_twice", intray.Params{"problem": intray.MessageOf(e.first), "second": intray.MessageOf(e.second)})
}
