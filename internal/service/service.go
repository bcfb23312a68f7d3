package service

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/blob"
	"github.com/intraydata/intray/internal/queue"
	"github.com/intraydata/intray/internal/seal"
)

// Config is what a service does its work with. The fields with a default may be
// left at their zero value.
type Config struct {
	Store  Store
	Blobs  blob.Store
	Master seal.Master
	Engine *engine.Engine
	SFTP   SFTP
	// Remotes knows the folders that connectors fetch from. Default: connectors do
	// not run.
	Remotes Remotes
	// Courier tells receivers outside of events. Default: nobody is told of any.
	Courier Courier
	// Node names this process among those that share the store. Processes that
	// can never run at the same time, because they lock the same data folder,
	// have the same beginning up to the first "/".
	Node string

	// MaxFileSize caps the files of all imports, in bytes. Default 1 GiB.
	MaxFileSize int64
	// RunsPerOrg is how many imports of one organization run at once. Default
	// 2.
	RunsPerOrg int
	// CheckHooks says whether hooks can be loaded: an *intray.HookError names the
	// first that cannot, a warning says why they could not be checked. Default:
	// they are taken as they are.
	CheckHooks func(ctx context.Context, hooks intray.Hooks) (warning intray.Message, err error)
	// Clock gives the time. Default time.Now.
	Clock func() time.Time
	// Rand is the source of ids and keys. Default crypto/rand.
	Rand io.Reader
	// Log takes what operators should know. Default nothing.
	Log *slog.Logger
	// Reach is called at each named point of the ways that must survive a
	// crash, for tests that crash there. Default nothing.
	Reach func(point string)
}

// Courier carries messages to receivers outside.
type Courier interface {
	// Tell makes the message about the status that an import has now; false where
	// none tells of it. It looks up nothing.
	Tell(imp Import, u Upload, development bool) (Parcel, bool, error)
	// TellDisabled makes the message that a webhook is told of nothing any more.
	TellDisabled(w Webhook, at time.Time, last intray.Message) (Parcel, error)
	// TellConnector makes the message that the runs of a connector begin to fail.
	TellConnector(c Connector, run Pull) (Parcel, error)
	// CheckAddress says what is wrong with the address of a receiver.
	CheckAddress(url string) error
	NewSecret(random io.Reader) (seal.Secret, error)
	// Send makes one attempt. The error says that there was none that counts.
	Send(ctx context.Context, d Delivery, at time.Time, secrets []seal.Secret) (Sent, error)
	// Judge gives the row of failures of a receiver after one more attempt, and what
	// is to follow the so many attempts at the delivery.
	Judge(f Failing, tries int, at time.Time, last Sent) Judgement
}

// Judgement says what follows from an attempt.
type Judgement struct {
	Failing Failing
	// Dead says that the receiver counts as dead.
	Dead bool
	// More says that there is a further attempt, after Wait.
	More bool
	Wait time.Duration
}

// Parcel is what a message holds.
type Parcel struct {
	Event       string
	ContentType string
	Body        []byte
}

// Sent says what came of an attempt.
type Sent struct {
	Attempt
	// RetryAfter is for how long the receiver asked to be left alone.
	RetryAfter time.Duration
}

// SFTP reaches SFTP servers.
type SFTP interface {
	// Test logs in and looks around. An error is a sentence for people.
	Test(ctx context.Context, login Login) (SFTPReport, error)
	// Fingerprint gives the OpenSSH fingerprint of the public half of a key.
	Fingerprint(privateKey seal.Secret) (string, error)
	// ValidHostname says what is wrong with a host name.
	ValidHostname(name string) error
}

// Login is what is needed to log in to an SFTP server.
type Login struct {
	Hostname   string
	Port       int
	User       string
	Password   seal.Secret
	PrivateKey seal.Secret
	HostKey    string
}

// SFTPReport is what a successful connection found.
type SFTPReport struct {
	HostKey            string
	HostKeyFingerprint string
}

// Service holds the use cases. Its methods may be called from many goroutines.
type Service struct {
	cfg  Config
	keys keyring
	// underWay are the runs of imports that this process works on.
	underWay *inHand
	// drafts are those of imports that persons review here.
	drafts *drafts
	// posting are the deliveries that are on their way from here.
	posting *posting
	// pulling are the runs of connectors that are under way here.
	pulling *pulling
	// makings are the changes of rows that are made here just now.
	makings *makings
	// answering are the idempotency keys whose requests are carried out here.
	answering *inHand
	// sweeps counts the calls of Sweep, which come from one goroutine; idle is
	// what the last one found that ran here by its row and in truth did not.
	sweeps int
	// tidied is when blobs that nothing names were looked for last; of Tidy alone.
	tidied time.Time
	idle   []ImportRef
}

// keyring holds one key for each purpose, all derived from the master key.
type keyring struct {
	licence, upload, download, review, visit, hydration, idempotency, password, signing seal.Key
	secrets, replays                                                                    *seal.Box
}

// New makes a service.
func New(cfg Config) (*Service, error) {
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
	if cfg.Reach == nil {
		cfg.Reach = func(string) {}
	}
	keys, err := deriveKeys(cfg.Master)
	if err != nil {
		return nil, err
	}
	return &Service{cfg: cfg, keys: keys, underWay: newInHand(), answering: newInHand(), drafts: &drafts{open: map[string]*openDraft{}}, posting: newPosting(), pulling: newPulling(), makings: &makings{of: map[string]Progress{}}}, nil
}

func deriveKeys(m seal.Master) (keyring, error) {
	k := keyring{
		licence: m.Derive("licence keys"), upload: m.Derive("upload addresses"),
		download: m.Derive("download addresses"), review: m.Derive("review links"), visit: m.Derive("review visits"),
		hydration: m.Derive("hydration tokens"), idempotency: m.Derive("idempotency keys"),
		password: m.Derive("password fingerprints"), signing: m.Derive("webhook signatures"),
	}
	var err error
	if k.secrets, err = m.Box("sftp secrets"); err != nil {
		return k, err
	}
	k.replays, err = m.Box("kept answers")
	return k, err
}

// now is the time in the precision that the store keeps.
func (s *Service) now() time.Time { return s.cfg.Clock().UTC().Truncate(time.Microsecond) }

// RunJob is the kind of the jobs that wake a worker to run imports. They name
// no import: the worker takes whichever is next.
const RunJob = "run"

func wake(ctx context.Context, tx Tx) error {
	return tx.Jobs.Enqueue(ctx, queue.Job{Kind: RunJob})
}

// Ready says whether the service can do its work just now.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.cfg.Store.Check(ctx); err != nil {
		return refuse(Unavailable, "store_unavailable", intray.NewMessage("service.database_silent", nil))
	}
	if err := s.cfg.Blobs.Check(ctx); err != nil {
		return refuse(Unavailable, "blobs_unavailable", intray.NewMessage("service.file_storage_unavailable", nil))
	}
	return nil
}
