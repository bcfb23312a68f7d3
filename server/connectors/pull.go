package connectors

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
)

const (
	// keepPulls is how many runs of a connector are kept.
	keepPulls = 200
	// fetchTries is how often the fetching of one file is taken up again.
	fetchTries = 5
	// filesAtOnce is how many files one run fetches at most; the rest come with the
	// next one, which begins at once.
	filesAtOnce = 1000
	// maxLeft is how many files that could not be taken are told of one by one.
	maxLeft = 100
	// turnFor is how long a run goes on to further files while others may wait.
	turnFor = 5 * time.Minute
	// fetchGrace and fetchPace bound the fetching of a file: bytes a second, on average
	// after the grace. Whoever gives less keeps others waiting.
	fetchGrace, fetchPace = 5 * time.Minute, 64 << 10
	// pullsPerOrg is how many connectors of an organization run in a process at once,
	// one of which may have failed when it ran last: slow servers of one leave room to
	// others. One that has to stand back is looked at again after standBack.
	pullsPerOrg, failingPerOrg, standBack = 2, 1, 5 * time.Second
)

// pullSlots are the runs under way in this process.
type pullSlots struct {
	mu            sync.Mutex
	orgs, failing map[string]int
}

func newPullSlots() *pullSlots { return &pullSlots{orgs: map[string]int{}, failing: map[string]int{}} }

// adjust counts a run, or one less, and is called with the lock.
func (p *pullSlots) adjust(c model.Connector, n int) {
	p.orgs[c.Org] += n
	if c.Failures > 0 {
		p.failing[c.Org] += n
	}
	for _, all := range []map[string]int{p.orgs, p.failing} {
		if all[c.Org] == 0 {
			delete(all, c.Org)
		}
	}
}

// isFull says that a connector has to stand back.
func (p *pullSlots) isFull(c model.Connector) bool {
	return p.orgs[c.Org] >= pullsPerOrg || c.Failures > 0 && p.failing[c.Org] >= failingPerOrg
}

// claimConnector takes the connector that is due for the longest time and need not
// stand back. The caller calls ended when its run has.
func (s *Service) claimConnector(ctx context.Context) (c model.Connector, ended func(), err error) {
	s.pullSlots.mu.Lock()
	defer s.pullSlots.mu.Unlock()
	err = s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		for {
			if c, err = tx.Connectors.ClaimDue(ctx, s.env.Node, s.env.Now()); err != nil || !s.pullSlots.isFull(c) {
				return err
			}
			c.Node, c.Next = "", s.env.Now().Add(standBack)
			if err := tx.Connectors.Save(ctx, c); err != nil {
				return err
			}
		}
	})
	if err == nil {
		s.pullSlots.adjust(c, 1)
	}
	return c, func() {
		s.pullSlots.mu.Lock()
		defer s.pullSlots.mu.Unlock()
		s.pullSlots.adjust(c, -1)
	}, err
}

// RunNextConnector runs the connector that is due for the longest time; false says that none
// is.
func (s *Service) RunNextConnector(ctx context.Context) (bool, error) {
	if s.cfg.Remotes == nil {
		return false, nil
	}
	c, ended, err := s.claimConnector(ctx)
	if err != nil {
		return false, model.IgnoreKind(err, model.NotFound)
	}
	defer ended()
	id, err := s.env.NewID()
	if err != nil {
		return true, err
	}
	run := &connectorRun{service: s, connector: c, PullRun: model.PullRun{ID: id, ConnectorID: c.ID, Began: s.env.Now(), Skipped: []intray.Message{}}}
	trouble := run.run(ctx)
	return true, s.endPull(ctx, run, trouble)
}

// endPull notes how a run went. One that was stopped is as if it had not been.
func (s *Service) endPull(ctx context.Context, run *connectorRun, trouble error) error {
	stopped := ctx.Err() != nil
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	run.Ended, run.Succeeded = s.env.Now(), trouble == nil
	if trouble != nil {
		run.Kind, run.Message = s.cfg.Remotes.Classify(trouble).Kind, s.sentenceOf(trouble)
		var gone *missingError
		if errors.As(trouble, &gone) {
			run.Kind = gone.kind
		}
		if run.Kind == "" && !stopped {
			s.env.Log.Error("the run of a connector failed", "connector", run.connector.ID, "error", trouble)
			run.Kind, run.Message = "internal", internalTrouble
		}
	}
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		c, err := tx.Connectors.Get(ctx, run.connector.Org, run.connector.ID)
		if err != nil || c.Node != s.env.Node {
			return model.IgnoreKind(err, model.NotFound)
		}
		c.Node = ""
		if stopped {
			return tx.Connectors.Save(ctx, c)
		}
		if c.Failures++; trouble == nil {
			c.Failures = 0
		}
		c.Last = run.Began
		c.Next = s.cfg.Remotes.NextRun(c.Schedule, c.Last, c.Failures, s.env.Now())
		if run.more && trouble == nil {
			c.Next = s.env.Now()
		}
		if err := errors.Join(tx.Connectors.Save(ctx, c), tx.Pulls.Insert(ctx, run.PullRun), tx.Pulls.Trim(ctx, c.ID, keepPulls)); err != nil || c.Failures != 1 {
			return err
		}
		return s.cfg.Webhooks.AnnounceConnectorFailure(ctx, tx, c, run.PullRun)
	})
}

// internalTrouble is what people are told of a fault of ours.
var internalTrouble = intray.NewMessage("connector.internal_error", nil)

// sentenceOf is an error as people read it, with a full stop.
func (s *Service) sentenceOf(err error) intray.Message {
	var own *model.Error
	var gone *missingError
	switch message := intray.MessageOf(err); {
	case errors.As(err, &own), errors.As(err, &gone):
		return message
	case s.cfg.Remotes.Classify(err).Kind == "":
		return internalTrouble
	default:
		return intray.NewMessage("connector.failed", intray.Params{"problem": message})
	}
}

// connectorRun is a run of a connector.
type connectorRun struct {
	model.PullRun
	service   *Service
	connector model.Connector
	login     Login
	remote    Remote
	name      string
	doc       schema.Doc
	schema    *intray.Schema
	// more says that there is more to fetch than a run takes.
	more bool
}

// missingError says that what a connector needs is not there any more.
type missingError struct {
	kind    string
	message intray.Message
}

func (e *missingError) Error() string { return e.message.String() }

// Describe returns the sentence for people.
func (e *missingError) Describe() intray.Message { return e.message }

func (p *connectorRun) run(ctx context.Context) error {
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := p.open(ctx); err != nil {
		return err
	}
	defer func() { p.remote.Close() }()
	listing, err := p.remote.List(ctx, p.connector.Directory, p.connector.Pattern)
	if err != nil {
		return err
	}
	p.Listed, p.Skipped = len(listing.Files), append(p.Skipped, listing.Skipped...)
	plan, err := p.planFetch(ctx, listing.Files)
	if err != nil {
		return err
	}
	p.Waiting = len(plan.Wait)
	return p.importFiles(ctx, plan.Fetch)
}

// importFiles takes one file after the other until its turn is over. Files that cannot be
// taken now do not count, and bring the next turn no nearer.
func (p *connectorRun) importFiles(ctx context.Context, files []model.RemoteFile) error {
	left := 0
	for _, f := range files {
		if p.Fetched >= filesAtOnce || p.service.env.Now().Sub(p.Began) > turnFor {
			p.more = p.Fetched > 0
			break
		}
		err := p.importFile(ctx, f)
		switch {
		case err == nil:
		case !p.service.cfg.Remotes.Classify(err).Skippable:
			return err
		case left < maxLeft:
			p.Skipped = append(p.Skipped, p.service.sentenceOf(err))
			fallthrough
		default:
			left++
		}
	}
	if left > maxLeft {
		p.Skipped = append(p.Skipped, intray.NewMessage("connector.more_left_for_later", intray.Params{"n": left - maxLeft}))
	}
	return nil
}

// prepare finds the credential and the schema.
func (p *connectorRun) prepare(ctx context.Context) error {
	s, c := p.service, p.connector
	credential, err := s.Credential(ctx, c.Org, c.CredentialID)
	if model.IsKind(err, model.NotFound) {
		return &missingError{"credential_deleted", intray.NewMessage("connector.credential_deleted", nil)}
	}
	if err != nil {
		return err
	}
	if p.login, err = s.loginOf(credential); err != nil {
		return err
	}
	p.name, p.doc, err = s.cfg.Imports.MergedDocument(ctx, c.Org, imports.Draft{SchemaID: c.SchemaID})
	if model.IsKind(err, model.NotFound) {
		return &missingError{"schema_deleted", intray.NewMessage("connector.schema_deleted", nil)}
	}
	if err != nil {
		return err
	}
	p.schema, err = schemas.Parse(p.doc)
	return err
}

// loginOf opens the secret of a credential.
func (s *Service) loginOf(c model.Credential) (Login, error) {
	secret, err := s.secretCipher.Open(c.Sealed, c.Org, c.ID)
	login := Login{Hostname: c.Hostname, Port: c.Port, User: c.User, HostKey: c.HostKey}
	if c.AuthType == model.AuthKey {
		login.PrivateKey = secrets.NewSecret(string(secret))
	} else {
		login.Password = secrets.NewSecret(string(secret))
	}
	return login, err
}

// open logs in, and pins the key of a server that was never seen before.
func (p *connectorRun) open(ctx context.Context) (err error) {
	if p.remote, err = p.service.cfg.Remotes.Open(ctx, p.login); err != nil {
		return err
	}
	if p.login.HostKey != "" {
		return nil
	}
	p.login.HostKey = p.remote.Report().HostKey
	c, err := p.service.Credential(ctx, p.connector.Org, p.connector.CredentialID)
	if err == nil {
		err = p.service.pinHostKey(ctx, c, p.login.HostKey)
	}
	if err != nil {
		p.remote.Close()
	}
	return err
}

// planFetch decides what to fetch, and keeps what was seen.
func (p *connectorRun) planFetch(ctx context.Context, listed []model.RemoteFile) (plan PullPlan, err error) {
	err = p.service.env.Store.Update(ctx, func(tx model.Tx) error {
		memory, err := tx.Pulled.ListByConnector(ctx, p.connector.ID)
		if err != nil {
			return err
		}
		plan = p.service.cfg.Remotes.PlanPull(memory, listed, p.service.env.Now())
		for _, f := range plan.Keep {
			f.Org, f.ConnectorID = p.connector.Org, p.connector.ID
			if err := tx.Pulled.Upsert(ctx, f); err != nil {
				return err
			}
		}
		for _, f := range plan.Drop {
			if err := tx.Pulled.Delete(ctx, p.connector.ID, f); err != nil {
				return err
			}
		}
		return nil
	})
	return plan, err
}

// importFile fetches a file and makes an import of it: both are there or none.
func (p *connectorRun) importFile(ctx context.Context, f model.RemoteFile) error {
	s := p.service
	imp, err := s.cfg.Imports.DraftImport(p.connector.Org, imports.Draft{SchemaID: p.connector.SchemaID, Filename: path.Base(f.Path)})
	if err != nil {
		return err
	}
	if imp.Schema, err = schemas.Encode(p.doc); err != nil {
		return err
	}
	attempt, err := s.env.NewID()
	if err != nil {
		return err
	}
	key := imp.RawKey(attempt)
	if err := s.env.GuardBlob(ctx, key); err != nil {
		return err
	}
	done, err := s.env.StoreFile(ctx, key, p.reader(ctx, f), nil)
	if err != nil {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		return err
	}
	imp.Raw = model.File{Key: key, Size: done.Size, SHA256: hex.EncodeToString(done.SHA256)}
	s.env.CrashPoint("pull.stored")
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	made := false
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		made, err = p.recordImport(ctx, tx, imp, f)
		return err
	})
	s.env.CrashPoint("pull.made")
	if err == nil && made {
		p.Fetched++
	} else if err == nil || model.IsRolledBack(err) {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
	}
	return err
}

// recordImport makes the import of a file, unless another run has or the connector is gone.
func (p *connectorRun) recordImport(ctx context.Context, tx model.Tx, imp model.Import, f model.RemoteFile) (bool, error) {
	if _, err := tx.Connectors.Get(ctx, p.connector.Org, p.connector.ID); err != nil {
		return false, err
	}
	known, err := tx.Pulled.Get(ctx, p.connector.ID, f)
	if model.IsKind(err, model.NotFound) {
		known, err = model.PulledFile{Org: p.connector.Org, ConnectorID: p.connector.ID, File: f, Since: p.service.env.Now()}, nil
	}
	if err != nil || known.Taken {
		return false, err
	}
	known.Taken, known.ImportID = true, imp.ID
	imp.Status = model.Pending
	err = tx.Trash.Remove(ctx, imp.Raw.Key)
	for _, step := range []func() error{
		func() error { return tx.Imports.Insert(ctx, imp) },
		func() error { return tx.Uploads.Insert(ctx, imports.NewUpload(imp, p.schema)) },
		func() error { return tx.Pulled.Upsert(ctx, known) },
		func() error { return model.EnqueueRun(ctx, tx) },
	} {
		if err == nil {
			err = step()
		}
	}
	return err == nil, err
}

// reader reads a file, and where the connection is lost goes on where it was.
func (p *connectorRun) reader(ctx context.Context, f model.RemoteFile) io.Reader {
	from, to := io.Pipe()
	go func() { to.CloseWithError(p.copyFile(ctx, f, to)) }()
	return from
}

func (p *connectorRun) copyFile(ctx context.Context, f model.RemoteFile, to io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, fetchGrace+time.Duration(f.Size/fetchPace)*time.Second)
	defer cancel()
	most := min(p.schema.Settings.MaxFileSize, p.service.cfg.MaxFileSize)
	offset := int64(0)
	for tries := 0; ; tries++ {
		n, err := p.remote.Fetch(ctx, f, offset, most, to)
		offset += n
		if err == nil {
			return nil
		}
		if !p.service.cfg.Remotes.Classify(err).Resumable || tries == fetchTries || ctx.Err() != nil {
			return err
		}
		fresh, failed := p.service.cfg.Remotes.Open(ctx, p.login)
		if failed != nil {
			return &twoErrors{err, failed}
		}
		p.remote.Close()
		p.remote = fresh
	}
}

// twoErrors is a failure and the one of the attempt to go on.
type twoErrors struct{ first, second error }

func (e *twoErrors) Error() string { return fmt.Sprintf("%v (and then: %v)", e.first, e.second) }

func (e *twoErrors) Unwrap() []error { return []error{e.first, e.second} }

// Describe returns the sentences for people.
func (e *twoErrors) Describe() intray.Message {
	return intray.NewMessage("connector.failed_twice", intray.Params{"problem": intray.MessageOf(e.first), "second": intray.MessageOf(e.second)})
}
