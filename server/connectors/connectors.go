// Package connectors fetches new files from SFTP servers on a schedule, creates an import from
// each, and uploads the results. It manages the connectors and their encrypted credentials.
//
// Each version of a file becomes exactly one import, because one transaction stores the import
// and the record that the file was fetched. A result is uploaded at least once, under the same
// name every time. [SFTP] and [Remotes] are the interfaces to the implementation of the protocol.
package connectors

import (
	"context"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhooks"
)

// Service fetches files from SFTP servers and uploads results. It is safe for concurrent use.
type Service struct {
	env          *model.Env
	cfg          Config
	passwordKey  secrets.Key
	secretCipher *secrets.Cipher
	runs         runSet
}

// Config configures a Service. If Remotes is nil, connectors do not run. All other fields are
// required.
type Config struct {
	Imports  *imports.Service
	Schemas  *schemas.Service
	Webhooks *webhooks.Service
	SFTP     SFTP
	Remotes  Remotes
	// MaxFileSize is the maximum size of a fetched file, in bytes.
	MaxFileSize int64
}

// New returns a service.
func New(env *model.Env, cfg Config) (*Service, error) {
	cipher, err := env.Keys.Cipher(model.SecretLabel)
	return &Service{env: env, cfg: cfg, passwordKey: env.Keys.Derive("password fingerprints"), secretCipher: cipher}, err
}

// maxConnectors is the maximum number of connectors per organization.
const maxConnectors = 100

// Draft contains the settings of a connector that a client sends.
type Draft struct {
	// ID is the id of a new connector. "" means a random id.
	ID           string
	CredentialID string
	SchemaID     string
	Schedule     model.Schedule
	Directory    string
	Pattern      string
	PutDirectory string
	PutFormat    string
}

// CreateConnector creates a connector. The first run is due immediately if the schedule is an
// interval, or at the scheduled time if it is daily. If a connector with the draft's ID
// exists, CreateConnector returns it unchanged.
func (s *Service) CreateConnector(ctx context.Context, org string, draft Draft) (c model.Connector, err error) {
	id, err := s.env.IDOrNew(draft.ID)
	if err != nil {
		return c, err
	}
	c = model.Connector{ID: id, Org: org, Created: s.env.Now()}
	if err := s.applyConnectorDraft(&c, draft); err != nil {
		return c, err
	}
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if err := model.CheckRequest(ctx, tx); err != nil {
			return err
		}
		if draft.ID != "" {
			existing, err := tx.Connectors.Get(ctx, org, id)
			if err == nil {
				c = existing
				return countFailedUploads(ctx, tx, org, &c)
			}
			if !model.IsKind(err, model.NotFound) {
				return err
			}
		}
		if err := checkReferences(ctx, tx, c); err != nil {
			return err
		}
		list, err := tx.Connectors.List(ctx, org)
		if err != nil {
			return err
		}
		if len(list) >= maxConnectors {
			return model.NewError(model.Conflict, "too_many_connectors", intray.NewMessage("connector.too_many", intray.Params{"n": len(list)}))
		}
		return tx.Connectors.Insert(ctx, c)
	})
	return c, err
}

// ReplaceConnector replaces the settings of a connector and resets its failure count. Files that
// were fetched before are fetched again only if the directory changes. Failed uploads of results
// are tried again now.
func (s *Service) ReplaceConnector(ctx context.Context, org, id string, draft Draft) (c model.Connector, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if c, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ConnectorMissing)
		}
		c.Failures = 0
		if err := s.applyConnectorDraft(&c, draft); err != nil {
			return err
		}
		if err := checkReferences(ctx, tx, c); err != nil {
			return err
		}
		if err := countFailedUploads(ctx, tx, org, &c); err != nil {
			return err
		}
		return tx.Connectors.Save(ctx, c)
	})
	if err == nil {
		err = s.retryResultUploads(ctx, id)
	}
	return c, err
}

// applyConnectorDraft validates a draft and copies its settings to a connector.
func (s *Service) applyConnectorDraft(c *model.Connector, d Draft) error {
	if err := s.cfg.Remotes.CheckSchedule(d.Schedule); err != nil {
		return model.InvalidField("schedule", intray.MessageOf(err))
	}
	if err := s.cfg.Remotes.CheckDirectory(d.Directory); err != nil {
		return model.InvalidField("directory", intray.MessageOf(err))
	}
	if err := s.cfg.Remotes.CheckPattern(d.Pattern); err != nil {
		return model.InvalidField("file_regex", intray.MessageOf(err))
	}
	if d.PutDirectory != "" || d.PutFormat != "" {
		if err := s.cfg.Remotes.CheckDirectory(d.PutDirectory); err != nil {
			return model.InvalidField("deliver_to", intray.NewMessage("property.problem", intray.Params{"path": "directory", "problem": intray.MessageOf(err)}))
		}
		if _, err := output.ParseFormat(d.PutFormat); err != nil {
			return model.InvalidField("deliver_to", intray.NewMessage("property.problem", intray.Params{"path": "format", "problem": intray.MessageOf(err)}))
		}
	}
	now := s.env.Now()
	c.CredentialID, c.SchemaID, c.Schedule, c.Directory, c.Pattern = d.CredentialID, d.SchemaID, d.Schedule, d.Directory, d.Pattern
	c.PutDirectory, c.PutFormat, c.Modified = d.PutDirectory, d.PutFormat, now
	c.Next = s.cfg.Remotes.NextRun(c.Schedule, c.Last, 0, now)
	return nil
}

// checkReferences returns an error if the credential or the schema of a connector is missing.
func checkReferences(ctx context.Context, tx model.Tx, c model.Connector) error {
	if _, err := tx.Credentials.Get(ctx, c.Org, c.CredentialID); model.IsKind(err, model.NotFound) {
		return model.InvalidField("credentials", intray.NewMessage("connector.names_no_credential", nil))
	} else if err != nil {
		return err
	}
	schema, err := tx.Schemas.Get(ctx, c.Org, c.SchemaID)
	if model.IsKind(err, model.NotFound) || err == nil && schema.Inline {
		return model.InvalidField("schema", schemas.NotSaved)
	}
	return err
}

// Connectors returns the connectors of an organization, oldest first.
func (s *Service) Connectors(ctx context.Context, org string) (list []model.Connector, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		if list, err = tx.Connectors.List(ctx, org); err != nil {
			return err
		}
		all := make([]*model.Connector, len(list))
		for i := range list {
			all[i] = &list[i]
		}
		return countFailedUploads(ctx, tx, org, all...)
	})
	return list, err
}

// Connector returns the connector with the given id.
func (s *Service) Connector(ctx context.Context, org, id string) (c model.Connector, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		if c, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ConnectorMissing)
		}
		return countFailedUploads(ctx, tx, org, &c)
	})
	return c, err
}

// deletingNode is the Node of a connector that is being deleted. No process claims it any more.
// Otherwise, it could fetch files again that it no longer remembers.
const deletingNode = "deleting"

// DeleteConnector deletes a connector and its history, but keeps the imports that it created. If
// it remembers many files, it deletes them in several transactions, and the connector in the last
// one. After a crash in between, the connector never runs, and must be deleted again.
func (s *Service) DeleteConnector(ctx context.Context, org, id string) error {
	return model.UpdateInBatches(ctx, s.env.Store, model.DeleteBatch, func(tx model.Tx) (int64, error) {
		c, err := tx.Connectors.Get(ctx, org, id)
		if err != nil {
			return 0, model.DescribeNotFound(err, model.ConnectorMissing)
		}
		n, err := tx.Pulled.DeleteOf(ctx, id, model.DeleteBatch)
		if err != nil {
			return 0, err
		}
		if n < model.DeleteBatch {
			return n, tx.Connectors.Delete(ctx, org, id)
		}
		c.Node = deletingNode
		return n, tx.Connectors.Save(ctx, c)
	})
}

// RunConnector makes a connector and its failed uploads of results due now.
func (s *Service) RunConnector(ctx context.Context, org, id string) (c model.Connector, err error) {
	err = s.env.Store.Update(ctx, func(tx model.Tx) error {
		if c, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ConnectorMissing)
		}
		c.Next = s.env.Now()
		if err := countFailedUploads(ctx, tx, org, &c); err != nil {
			return err
		}
		return tx.Connectors.Save(ctx, c)
	})
	if err == nil {
		err = s.retryResultUploads(ctx, id)
	}
	return c, err
}

// Pulls returns a page of the runs of a connector, newest first.
func (s *Service) Pulls(ctx context.Context, org, id string, page model.PageRequest) (model.Page[model.PullRun], error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (model.Page[model.PullRun], error) {
		if _, err := tx.Connectors.Get(ctx, org, id); err != nil {
			return model.Page[model.PullRun]{}, model.DescribeNotFound(err, model.ConnectorMissing)
		}
		return tx.Pulls.List(ctx, id, page)
	})
}

// PulledFiles returns the file versions that a connector remembers.
func (s *Service) PulledFiles(ctx context.Context, org, id string) (list []model.PulledFile, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		if _, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return model.DescribeNotFound(err, model.ConnectorMissing)
		}
		list, err = tx.Pulled.ListByConnector(ctx, id)
		return err
	})
	return list, err
}

// SFTP tests connections to SFTP servers and validates credentials.
type SFTP interface {
	// TestConnection logs in and starts SFTP. Its errors have human-readable messages.
	TestConnection(ctx context.Context, login Login) (SFTPReport, error)
	// Fingerprint returns the OpenSSH fingerprint of the public key that belongs to
	// a private key.
	Fingerprint(privateKey secrets.Secret) (string, error)
	// ValidHostname returns an error if a host name is invalid.
	ValidHostname(name string) error
}

// Login is the address of a server and a decrypted credential of an organization.
type Login struct {
	Org        string
	Hostname   string
	Port       int
	User       string
	Password   secrets.Secret
	PrivateKey secrets.Secret
	HostKey    string
}

// SFTPReport describes the server after a successful connection.
type SFTPReport struct {
	HostKey            string
	HostKeyFingerprint string
}

// Remotes connects to SFTP servers and decides when to run and which files to fetch.
type Remotes interface {
	CheckSchedule(s model.Schedule) error
	CheckDirectory(path string) error
	CheckPattern(pattern string) error
	// NextRun returns the time of the next run. last is when the last run began.
	// failures is the number of consecutive failed runs up to now.
	NextRun(s model.Schedule, last time.Time, failures int, now time.Time) time.Time
	// PlanPull decides which of the listed files to fetch.
	PlanPull(memory []model.PulledFile, listed []model.RemoteFile, now time.Time) PullPlan
	// Open logs in. Errors from Open and from the Remote have human-readable messages.
	Open(ctx context.Context, login Login) (Remote, error)
	// Classify classifies an error from Open or from a Remote.
	Classify(err error) RemoteFailure
}

// RemoteFailure classifies an error from Remotes.Open or from a Remote. It is the zero value for
// other errors.
type RemoteFailure struct {
	// Kind classifies the error for programs.
	Kind string
	// Resumable means that the download can continue where it stopped. Skippable
	// means that the run can continue without the file.
	Resumable, Skippable bool
}

// PullPlan is the result of comparing a directory listing with the remembered file versions.
type PullPlan struct {
	// Fetch lists the files to fetch. Wait lists new files that may still change.
	Fetch, Wait []model.RemoteFile
	// Keep lists the remembered versions to store. Drop lists the versions to forget.
	Keep []model.PulledFile
	Drop []model.RemoteFile
}

// RemoteListing lists the files of a directory.
type RemoteListing struct {
	Files []model.RemoteFile
	// Skipped describes the first entries that cannot be fetched, and why.
	Skipped []intray.Message
}

// Remote is a connection to an SFTP server.
type Remote interface {
	Report() SFTPReport
	List(ctx context.Context, directory, pattern string) (RemoteListing, error)
	// Fetch writes the content of the file, starting at offset, to the given writer. It returns
	// the number of bytes written, even if it returns an error. It refuses files that are larger
	// than maxSize bytes.
	Fetch(ctx context.Context, f model.RemoteFile, offset, maxSize int64, to io.Writer) (int64, error)
	// Upload writes a file. It becomes visible only when it is complete.
	Upload(ctx context.Context, directory, name string, from io.Reader) error
	Close()
}
