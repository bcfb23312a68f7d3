package service

import (
	"context"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// maxConnectors is how many connectors an organization may have.
const maxConnectors = 100

// ConnectorDraft is a connector as it was sent.
type ConnectorDraft struct {
	// ID fixes the id of a new connector; "" lets the service choose.
	ID           string
	CredentialID string
	SchemaID     string
	Schedule     Schedule
	Directory    string
	Pattern      string
	PutDirectory string
	PutFormat    string
}

// CreateConnector makes a connector. By minutes it runs at once, daily at its time.
func (s *Service) CreateConnector(ctx context.Context, org string, draft ConnectorDraft) (c Connector, err error) {
	id, err := s.idOrNew(draft.ID)
	if err != nil {
		return c, err
	}
	c = Connector{ID: id, Org: org, Created: s.now()}
	if err := s.applyConnectorDraft(&c, draft); err != nil {
		return c, err
	}
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if draft.ID != "" {
			if made, err := tx.Connectors.Get(ctx, org, id); err == nil {
				c = made
				return nil
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
			return newError(Conflict, "too_many_connectors", intray.NewMessage("connector.too_many", intray.Params{"n": len(list)}))
		}
		return tx.Connectors.Insert(ctx, c)
	})
	return c, err
}

// ReplaceConnector gives a connector new values. What it has fetched it does not
// fetch again, unless it looks into another directory.
func (s *Service) ReplaceConnector(ctx context.Context, org, id string, draft ConnectorDraft) (c Connector, err error) {
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if c, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return describeNotFound(err, connectorMissing)
		}
		c.Failures = 0
		if err := s.applyConnectorDraft(&c, draft); err != nil {
			return err
		}
		if err := checkReferences(ctx, tx, c); err != nil {
			return err
		}
		return tx.Connectors.Save(ctx, c)
	})
	return c, err
}

// applyConnectorDraft takes a draft over.
func (s *Service) applyConnectorDraft(c *Connector, d ConnectorDraft) error {
	if err := s.cfg.Remotes.CheckSchedule(d.Schedule); err != nil {
		return invalidField("schedule", intray.MessageOf(err))
	}
	if err := s.cfg.Remotes.CheckDirectory(d.Directory); err != nil {
		return invalidField("directory", intray.MessageOf(err))
	}
	if err := s.cfg.Remotes.CheckPattern(d.Pattern); err != nil {
		return invalidField("file_regex", intray.MessageOf(err))
	}
	if d.PutDirectory != "" || d.PutFormat != "" {
		if err := s.cfg.Remotes.CheckDirectory(d.PutDirectory); err != nil {
			return invalidField("deliver_to", intray.NewMessage("property.problem", intray.Params{"path": "directory", "problem": intray.MessageOf(err)}))
		}
		if _, err := output.ParseFormat(d.PutFormat); err != nil {
			return invalidField("deliver_to", intray.NewMessage("property.problem", intray.Params{"path": "format", "problem": intray.MessageOf(err)}))
		}
	}
	now := s.now()
	c.CredentialID, c.SchemaID, c.Schedule, c.Directory, c.Pattern = d.CredentialID, d.SchemaID, d.Schedule, d.Directory, d.Pattern
	c.PutDirectory, c.PutFormat, c.Modified = d.PutDirectory, d.PutFormat, now
	c.Next = s.cfg.Remotes.NextRun(c.Schedule, c.Last, 0, now)
	return nil
}

// checkReferences refuses a connector whose credential or schema is not there.
func checkReferences(ctx context.Context, tx Tx, c Connector) error {
	if _, err := tx.Credentials.Get(ctx, c.Org, c.CredentialID); IsKind(err, NotFound) {
		return invalidField("credentials", intray.NewMessage("connector.names_no_credential", nil))
	} else if err != nil {
		return err
	}
	schema, err := tx.Schemas.Get(ctx, c.Org, c.SchemaID)
	if IsKind(err, NotFound) || err == nil && schema.Inline {
		return invalidField("schema", noSavedSchema)
	}
	return err
}

// Connectors lists those of an organization, oldest first.
func (s *Service) Connectors(ctx context.Context, org string) (list []Connector, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		list, err = tx.Connectors.List(ctx, org)
		return err
	})
	return list, err
}

// Connector gives one.
func (s *Service) Connector(ctx context.Context, org, id string) (c Connector, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		c, err = tx.Connectors.Get(ctx, org, id)
		return err
	})
	return c, describeNotFound(err, connectorMissing)
}

// DeleteConnector removes a connector with its history. The imports that it made
// stay.
func (s *Service) DeleteConnector(ctx context.Context, org, id string) error {
	return s.cfg.Store.Update(ctx, func(tx Tx) error { return describeNotFound(tx.Connectors.Delete(ctx, org, id), connectorMissing) })
}

// RunConnector lets a connector run at once.
func (s *Service) RunConnector(ctx context.Context, org, id string) (c Connector, err error) {
	err = s.cfg.Store.Update(ctx, func(tx Tx) error {
		if c, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return describeNotFound(err, connectorMissing)
		}
		c.Next = s.now()
		return tx.Connectors.Save(ctx, c)
	})
	return c, err
}

// Pulls lists the runs of a connector, newest first, and says how many there are in
// all.
func (s *Service) Pulls(ctx context.Context, org, id string, offset, limit int64) (list []PullRun, total int64, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		if _, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return describeNotFound(err, connectorMissing)
		}
		list, total, err = tx.Pulls.List(ctx, id, offset, limit)
		return err
	})
	return list, total, err
}

// PulledFiles lists the versions of files that a connector knows of.
func (s *Service) PulledFiles(ctx context.Context, org, id string) (list []PulledFile, err error) {
	err = s.cfg.Store.View(ctx, func(tx Tx) (err error) {
		if _, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return describeNotFound(err, connectorMissing)
		}
		list, err = tx.Pulled.ListByConnector(ctx, id)
		return err
	})
	return list, err
}

// Remotes knows folders on SFTP servers.
type Remotes interface {
	CheckSchedule(s Schedule) error
	CheckDirectory(path string) error
	CheckPattern(pattern string) error
	// NextRun says when to run next, when the last run began at last and the last
	// failures runs failed.
	NextRun(s Schedule, last time.Time, failures int, now time.Time) time.Time
	// PlanPull says which of the files that were listed are to be fetched.
	PlanPull(memory []PulledFile, listed []RemoteFile, now time.Time) PullPlan
	// Open logs in. Its errors, and those of what it opens, are sentences for people.
	Open(ctx context.Context, login Login) (Remote, error)
	// Classify says of an error of a remote what it means.
	Classify(err error) RemoteFailure
}

// RemoteFailure is what an error of a remote means.
type RemoteFailure struct {
	// Kind is for programs.
	Kind string
	// Resumes says that a file can be fetched on where it stopped, Left that the file
	// is to be left alone for this time.
	Resumable, Skippable bool
}

// PullPlan is what follows from a listing.
type PullPlan struct {
	Fetch, Wait []RemoteFile
	// Keep is to be remembered and Drop to be forgotten.
	Keep []PulledFile
	Drop []RemoteFile
}

// RemoteListing is what a folder holds.
type RemoteListing struct {
	Files []RemoteFile
	// Skipped are the first entries that are no files to fetch, with the reason.
	Skipped []intray.Message
}

// Remote is a server that was logged in to.
type Remote interface {
	Report() SFTPReport
	List(ctx context.Context, directory, pattern string) (RemoteListing, error)
	// Fetch writes a file from an offset on and gives how many bytes it wrote, also
	// beside an error. most is the largest file that is taken.
	Fetch(ctx context.Context, f RemoteFile, offset, most int64, to io.Writer) (int64, error)
	// Upload writes a file, which appears whole.
	Upload(ctx context.Context, directory, name string, from io.Reader) error
	Close()
}
