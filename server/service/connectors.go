package service

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/secrets"
)

// connectorService fetches files from SFTP servers and puts results back there.
type connectorService struct {
	env          *Env
	cfg          connectorConfig
	passwordKey  secrets.Key
	secretCipher *secrets.Cipher
	// pullSlots are the runs of connectors that are under way here.
	pullSlots *pullSlots
}

// connectorConfig names what connectors work with. Remotes may be nil: connectors do
// not run then. All other fields must be set.
type connectorConfig struct {
	Imports  *importService
	Schemas  *schemaService
	Webhooks *webhookService
	SFTP     SFTP
	Remotes  Remotes
	// MaxFileSize caps the files that are fetched, in bytes.
	MaxFileSize int64
}

// newConnectorService returns the service upon env.
func newConnectorService(env *Env, cfg connectorConfig) (*connectorService, error) {
	cipher, err := env.Master.Cipher(secretLabel)
	return &connectorService{env: env, cfg: cfg, passwordKey: env.Master.Derive("password fingerprints"), secretCipher: cipher, pullSlots: newPullSlots()}, err
}

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
func (s *connectorService) CreateConnector(ctx context.Context, org string, draft ConnectorDraft) (c Connector, err error) {
	id, err := s.env.IDOrNew(draft.ID)
	if err != nil {
		return c, err
	}
	c = Connector{ID: id, Org: org, Created: s.env.Now()}
	if err := s.applyConnectorDraft(&c, draft); err != nil {
		return c, err
	}
	err = s.env.Store.Update(ctx, func(tx Tx) error {
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
func (s *connectorService) ReplaceConnector(ctx context.Context, org, id string, draft ConnectorDraft) (c Connector, err error) {
	err = s.env.Store.Update(ctx, func(tx Tx) error {
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
func (s *connectorService) applyConnectorDraft(c *Connector, d ConnectorDraft) error {
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
	now := s.env.Now()
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
		return invalidField("schema", schemaNotSaved)
	}
	return err
}

// Connectors lists those of an organization, oldest first.
func (s *connectorService) Connectors(ctx context.Context, org string) (list []Connector, err error) {
	err = s.env.Store.View(ctx, func(tx Tx) (err error) {
		list, err = tx.Connectors.List(ctx, org)
		return err
	})
	return list, err
}

// Connector gives one.
func (s *connectorService) Connector(ctx context.Context, org, id string) (c Connector, err error) {
	err = s.env.Store.View(ctx, func(tx Tx) (err error) {
		c, err = tx.Connectors.Get(ctx, org, id)
		return err
	})
	return c, describeNotFound(err, connectorMissing)
}

// DeleteConnector removes a connector with its history. The imports that it made
// stay.
func (s *connectorService) DeleteConnector(ctx context.Context, org, id string) error {
	return s.env.Store.Update(ctx, func(tx Tx) error { return describeNotFound(tx.Connectors.Delete(ctx, org, id), connectorMissing) })
}

// RunConnector lets a connector run at once.
func (s *connectorService) RunConnector(ctx context.Context, org, id string) (c Connector, err error) {
	err = s.env.Store.Update(ctx, func(tx Tx) error {
		if c, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return describeNotFound(err, connectorMissing)
		}
		c.Next = s.env.Now()
		return tx.Connectors.Save(ctx, c)
	})
	return c, err
}

// Pulls lists the runs of a connector, newest first, and says how many there are in
// all.
func (s *connectorService) Pulls(ctx context.Context, org, id string, offset, limit int64) (list []PullRun, total int64, err error) {
	err = s.env.Store.View(ctx, func(tx Tx) (err error) {
		if _, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return describeNotFound(err, connectorMissing)
		}
		list, total, err = tx.Pulls.List(ctx, id, offset, limit)
		return err
	})
	return list, total, err
}

// PulledFiles lists the versions of files that a connector knows of.
func (s *connectorService) PulledFiles(ctx context.Context, org, id string) (list []PulledFile, err error) {
	err = s.env.Store.View(ctx, func(tx Tx) (err error) {
		if _, err = tx.Connectors.Get(ctx, org, id); err != nil {
			return describeNotFound(err, connectorMissing)
		}
		list, err = tx.Pulled.ListByConnector(ctx, id)
		return err
	})
	return list, err
}
