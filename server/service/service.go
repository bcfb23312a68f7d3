// Package service combines the use cases into one [Service] for adapters such as
// package httpapi. The rules are in the packages auth, schemas, imports, review,
// connectors, webhooks and retention.
package service

import (
	"cmp"
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
	"github.com/intraydata/intray/server/importlinks"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/integrity"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/webhooks"
	"github.com/intraydata/intray/server/widget"
)

// Config configures a Service. A zero field means its default, if it has one.
type Config struct {
	Store model.Store
	Blobs blob.Store
	// Direct is Blobs if clients can send files directly to it. Nil means that they cannot.
	Direct blob.Presigner
	Keys   secrets.Keyring
	Engine *engine.Engine
	SFTP   connectors.SFTP
	// Remotes connects to the servers of connectors. Nil means that connectors do not run.
	Remotes connectors.Remotes
	// WebhookSender sends webhook messages. Nil means that none are sent.
	WebhookSender webhooks.Sender
	// Node identifies this process among all processes that share the store. Successive
	// processes that lock the same data folder have the same part up to the first "/".
	Node string
	// Host is the name of this machine, and Version the version of this program, for operators. They
	// may be "".
	Host, Version string

	// HasEnded reports whether the process of another node, whose part up to the first "/" is the
	// same, has certainly ended. Default: always, which is right if all processes that use the
	// store lock the same folder.
	HasEnded func(node string) bool

	// Reserve is the disk space for deletions on a full disk. Nil means none.
	Reserve model.Reserve
	// OOMKills returns the OOM kills on this machine. Nil means that they are unknown.
	OOMKills func() model.OOMKills

	// MaxFileSize is the maximum size of an uploaded file, in bytes. Default 1 GiB.
	MaxFileSize int64
	// Runs is the maximum number of imports that run at the same time in this process, and
	// RunsPerOrg the maximum for one organization in all processes. Default 4 and 2. If there
	// are several organizations, one of them occupies at most Runs-1 runs of a process.
	Runs, RunsPerOrg int
	// StallTimeout is the time after which a run of an import that makes no progress is
	// canceled. Default 30 minutes.
	StallTimeout time.Duration
	// ScrubPeriod is the period in which the stored files of each import are verified once. 0 means
	// never.
	ScrubPeriod time.Duration
	// ReviewLinkLife is the lifetime of review links. Default 30 days.
	ReviewLinkLife time.Duration
	// TempDir is the folder for the temporary files of reviews. Default: the result of os.TempDir.
	TempDir string
	// Quotas limit what each organization uses. OverQuota is called for each refused request. It
	// may be nil.
	Quotas    model.Quotas
	OverQuota func(org string, quota model.Quota)
	// Observer receives what happens in this process. Default: nothing is observed.
	Observer model.Observer
	// CheckHooks loads the hooks of a schema. See [schemas.New]. Nil means that all
	// hooks are accepted.
	CheckHooks func(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error)
	// Clock returns the time. Default time.Now.
	Clock func() time.Time
	// Rand is the source of randomness for ids and keys. Default crypto/rand.
	Rand io.Reader
	// Log receives messages for operators. Default: no logging.
	Log *slog.Logger
	// Pages passes calls to hooks of pages that embed an importer. Default: a new broker.
	Pages *widget.Broker
	// CrashPoint is called at each point at which tests simulate a crash. Default:
	// nothing is called.
	CrashPoint func(point string)
}

// These are the services of the use cases, under distinct names because Service embeds them.
type (
	authService      = auth.Service
	schemaService    = schemas.Service
	webhookService   = webhooks.Service
	retentionService = retention.Service
	importService    = imports.Service
	connectorService = connectors.Service
	reviewService    = review.Service
	integrityService = integrity.Service
	linkService      = importlinks.Service
	widgetService    = widget.Service
)

// Service has the methods of all use cases. All methods except RunMaintenance and
// CollectGarbage are safe for concurrent use.
type Service struct {
	*authService
	*schemaService
	*webhookService
	*retentionService
	*importService
	*connectorService
	*reviewService
	*integrityService
	*linkService
	*widgetService

	env *model.Env
	// rounds is the number of times that RunMaintenance has been called.
	rounds int
}

// New returns a service. It starts no goroutines; package jobs calls its methods in
// the background.
func New(cfg Config) (*Service, error) {
	cfg.setDefaults()
	s := &Service{env: &model.Env{
		Store: cfg.Store, Blobs: cfg.Blobs, Keys: cfg.Keys, Node: cfg.Node, Host: cfg.Host, Version: cfg.Version, HasEnded: cfg.HasEnded,
		Reserve: cfg.Reserve, Quotas: cfg.Quotas, OverQuota: cfg.OverQuota, OOMKills: cfg.OOMKills, Observer: cfg.Observer, Clock: cfg.Clock, Rand: cfg.Rand, Log: cfg.Log, CrashPoint: cfg.CrashPoint,
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
		Schemas: s.schemaService, Engine: cfg.Engine, MaxFileSize: cfg.MaxFileSize, Runs: cfg.Runs, RunsPerOrg: cfg.RunsPerOrg, StallTimeout: cfg.StallTimeout, ReviewLinkLife: cfg.ReviewLinkLife, OnTransition: s.onTransition, Direct: cfg.Direct,
		StageReviewed: func(ctx context.Context, imp model.Import, prefix string) error {
			return s.StageReviewed(ctx, imp, prefix)
		},
	})
	s.connectorService, err = connectors.New(s.env, connectors.Config{
		Imports: s.importService, Schemas: s.schemaService, Webhooks: s.webhookService,
		SFTP: cfg.SFTP, Remotes: cfg.Remotes, MaxFileSize: cfg.MaxFileSize,
	})
	s.reviewService = review.New(s.env, s.importService, cfg.Engine, review.Config{LinkLife: cfg.ReviewLinkLife, TempDir: cfg.TempDir})
	s.integrityService = integrity.New(s.env, s.importService, cfg.ScrubPeriod)
	s.linkService = importlinks.New(s.env, s.importService, s.schemaService)
	s.widgetService = widget.New(s.env, s.authService, s.importService, s.schemaService, cfg.Pages)
	return s, err
}

func (cfg *Config) setDefaults() {
	cfg.MaxFileSize = cmp.Or(max(cfg.MaxFileSize, 0), intray.MaxFileSize)
	cfg.Runs = cmp.Or(max(cfg.Runs, 0), 4)
	cfg.RunsPerOrg = cmp.Or(max(cfg.RunsPerOrg, 0), 2)
	cfg.StallTimeout = cmp.Or(max(cfg.StallTimeout, 0), 30*time.Minute)
	cfg.ReviewLinkLife = cmp.Or(max(cfg.ReviewLinkLife, 0), 30*24*time.Hour)
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.HasEnded == nil {
		cfg.HasEnded = func(string) bool { return true }
	}
	if cfg.OOMKills == nil {
		cfg.OOMKills = func() model.OOMKills { return model.OOMKills{} }
	}
	if cfg.Observer == nil {
		cfg.Observer = model.Unobserved{}
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Pages == nil {
		cfg.Pages = widget.NewBroker()
	}
	if cfg.CrashPoint == nil {
		cfg.CrashPoint = func(string) {}
	}
}

// onTransition queues the upload of the result and the webhook messages after an
// import has changed its status.
func (s *Service) onTransition(ctx context.Context, tx model.Tx, imp model.Import, u model.Upload) error {
	if err := s.QueueResultUpload(ctx, tx, imp); err != nil {
		return err
	}
	return s.AnnounceImport(ctx, tx, imp, u)
}

// Ready returns an Unavailable error if the store or the blobs do not work.
func (s *Service) Ready(ctx context.Context) error { return s.env.CheckStores(ctx) }

// forgetEvery is the number of maintenance rounds between two deletions of expired
// responses, rates and deliveries.
const forgetEvery = 40

// RunMaintenance refills the reserve, empties the trash, closes idle drafts, and deletes abandoned
// embedded imports, expired sessions, responses and deliveries, and the data of deleted organizations. Call it every 10 s from a single
// goroutine. Call RecoverRuns every 2 s from another one, because deleting files can take minutes.
func (s *Service) RunMaintenance(ctx context.Context) error {
	if s.env.Reserve != nil {
		s.env.Reserve.Refill()
	}
	err := errors.Join(s.EmptyTrash(ctx), s.ForgetSessions(ctx), s.ForgetUnseen(ctx), s.CloseIdleDrafts(), s.deleteOrgs(ctx))
	if s.rounds++; s.rounds%forgetEvery == 1 {
		err = errors.Join(err, s.ForgetReplays(ctx), s.ForgetRates(ctx), s.ForgetDeliveries(ctx))
	}
	return err
}

// Limit returns the limit of a quota for an organization. 0 means no limit.
func (s *Service) Limit(org string, quota model.Quota) int64 { return s.env.Limit(org, quota) }

// CheckQuota returns a TooMany or OverQuota error if an addition would make an organization, which
// uses the given amount, exceed a quota.
func (s *Service) CheckQuota(org string, add model.Addition, used int64) error {
	return s.env.CheckQuota(org, add, used)
}
