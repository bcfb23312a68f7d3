// Package service assembles the use cases into one [Service], which the adapters
// call. It holds no rules of its own: those are in the packages auth, schemas,
// imports, review, connectors, webhooks and retention, over the rows of model.
package service

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/connectors"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhooks"
)

// Config is what a service does its work with. The fields with a default may be
// left at their zero value.
type Config struct {
	Store  model.Store
	Blobs  blob.Store
	Master secrets.Master
	Engine *engine.Engine
	SFTP   connectors.SFTP
	// Remotes knows the folders that connectors fetch from. Default: connectors do
	// not run.
	Remotes connectors.Remotes
	// WebhookSender tells receivers outside of events. Default: nobody is told of any.
	WebhookSender webhooks.Sender
	// Node names this process among those that share the store. Processes that
	// can never run at the same time, because they lock the same data folder,
	// have the same beginning up to the first "/".
	Node string

	// MaxFileSize caps the files of all imports, in bytes. Default 1 GiB.
	MaxFileSize int64
	// RunsPerOrg is how many imports of one organization run at once. Default
	// 2.
	RunsPerOrg int
	// CheckHooks loads the hooks of a schema; see [schemas.New]. Nil accepts all hooks.
	CheckHooks func(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error)
	// Clock gives the time. Default time.Now.
	Clock func() time.Time
	// Rand is the source of ids and keys. Default crypto/rand.
	Rand io.Reader
	// Log takes what operators should know. Default nothing.
	Log *slog.Logger
	// CrashPoint is called at each named point of the ways that must survive a
	// crash, for tests that crash there. Default nothing.
	CrashPoint func(point string)
}

// The services of the use cases, under names that can be embedded side by side.
type (
	authService      = auth.Service
	schemaService    = schemas.Service
	webhookService   = webhooks.Service
	retentionService = retention.Service
	importService    = imports.Service
	connectorService = connectors.Service
	reviewService    = review.Service
)

// Service offers the methods of all use cases. They may be called from many
// goroutines, except for RunMaintenance and CollectGarbage.
type Service struct {
	*authService
	*schemaService
	*webhookService
	*retentionService
	*importService
	*connectorService
	*reviewService

	env *model.Env
	// rounds counts the calls of RunMaintenance.
	rounds int
}

// New returns a service that has not begun to work: a worker calls it for that.
func New(cfg Config) (*Service, error) {
	cfg.setDefaults()
	s := &Service{env: &model.Env{
		Store: cfg.Store, Blobs: cfg.Blobs, Master: cfg.Master, Node: cfg.Node,
		Clock: cfg.Clock, Rand: cfg.Rand, Log: cfg.Log, CrashPoint: cfg.CrashPoint,
	}}
	var err error
	if s.authService, err = auth.New(s.env); err != nil {
		return nil, err
	}
	if s.webhookService, err = webhooks.New(s.env, cfg.WebhookSender); err != nil {
		return nil, err
	}
	s.schemaService = schemas.New(s.env, cfg.CheckHooks)
	s.retentionService = retention.New(s.env)
	s.importService = imports.New(s.env, imports.Config{
		Schemas: s.schemaService, Engine: cfg.Engine, MaxFileSize: cfg.MaxFileSize, RunsPerOrg: cfg.RunsPerOrg, OnTransition: s.onTransition,
	})
	s.connectorService, err = connectors.New(s.env, connectors.Config{
		Imports: s.importService, Schemas: s.schemaService, Webhooks: s.webhookService,
		SFTP: cfg.SFTP, Remotes: cfg.Remotes, MaxFileSize: cfg.MaxFileSize,
	})
	s.reviewService = review.New(s.env, s.importService, cfg.Engine)
	return s, err
}

func (cfg *Config) setDefaults() {
	if cfg.MaxFileSize <= 0 {
		cfg.MaxFileSize = intray.MaxFileSize
	}
	if cfg.RunsPerOrg <= 0 {
		cfg.RunsPerOrg = 2
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.CrashPoint == nil {
		cfg.CrashPoint = func(string) {}
	}
}

// onTransition queues what follows from the status that an import now has, in the same
// transaction.
func (s *Service) onTransition(ctx context.Context, tx model.Tx, imp model.Import) error {
	if err := s.QueueResultUpload(ctx, tx, imp); err != nil {
		return err
	}
	return s.AnnounceImport(ctx, tx, imp)
}

// Ready reports whether the service can do its work now: an *Error of kind Unavailable
// says which store does not answer.
func (s *Service) Ready(ctx context.Context) error { return s.env.CheckStores(ctx) }

// forgetEvery is after how many rounds of maintenance old answers and deliveries are
// looked for.
const forgetEvery = 200

// RunMaintenance takes back the work of dead nodes and what this one left behind, wakes a
// worker for imports that none waits for, and removes what is due to go. Call it every
// 2 s, from one goroutine.
func (s *Service) RunMaintenance(ctx context.Context) error {
	err := errors.Join(s.RecoverRuns(ctx), s.EmptyTrash(ctx), s.ForgetSessions(ctx), s.CloseIdleDrafts())
	if s.rounds++; s.rounds%forgetEvery == 1 {
		err = errors.Join(err, s.ForgetReplays(ctx), s.ForgetDeliveries(ctx))
	}
	return err
}
