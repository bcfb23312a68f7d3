// Package service remembers: organizations and their licence keys, schemas,
// imports and the uploads they receive, sessions, SFTP credentials and connectors,
// webhooks and how long what is kept. It holds
// the rules and the use cases, one method of [Service] each.
//
// The nouns:
//
//   - An [Org] is a customer. Everything below belongs to one and is invisible
//     to all others.
//   - A [Licence] is the key with which an organization's programs call.
//   - A [Schema] is a saved schema document.
//   - An [Import] is one run of one file against one schema, frozen when the
//     import is made. Its [Status] changes by the table in states.go only.
//   - An [UploadStatus] is the received file of an import and the account of what
//     became of it.
//   - A [LearnedMapping] is what a person decided about a file, to be offered again to
//     imports of the same kind.
//   - An [Edit] is an entry of the log of what persons change in the rows of an
//     import under review.
//   - A [Session] keeps the state of an unfinished embedded import; a hydration
//     token is the right to read and write it.
//   - A [Credential] is what is needed to log in to an SFTP server.
//   - A [Connector] fetches the new files of a folder there by itself; a [Pull] is
//     one of its runs, a [PulledFile] file one that it knows of.
//   - A [Webhook] is where events are sent to; a [Delivery] is a message for one
//     receiver, an [Attempt] one try at it.
//   - A [Retention] says for how long parts of imports are kept; a [Deletion] is the
//     receipt of what went.
//
// The package declares the [Store] it needs. It knows no SQL, no HTTP and no
// wire names; clock and random source are passed in.
package service

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/secrets"
)

// Config is what a service does its work with. The fields with a default may be
// left at their zero value.
type Config struct {
	Store  Store
	Blobs  blob.Store
	Master secrets.Master
	Engine *engine.Engine
	SFTP   SFTP
	// Remotes knows the folders that connectors fetch from. Default: connectors do
	// not run.
	Remotes Remotes
	// WebhookSender tells receivers outside of events. Default: nobody is told of any.
	WebhookSender WebhookSender
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
	// CrashPoint is called at each named point of the ways that must survive a
	// crash, for tests that crash there. Default nothing.
	CrashPoint func(point string)
}

// WebhookSender carries messages to receivers outside.
type WebhookSender interface {
	// ImportPayload makes the message about the status that an import has now; false where
	// none tells of it. It looks up nothing.
	ImportPayload(imp Import, u Upload, development bool) (Payload, bool, error)
	// DisabledPayload makes the message that a webhook is told of nothing any more.
	DisabledPayload(w Webhook, at time.Time, last intray.Message) (Payload, error)
	// ConnectorFailedPayload makes the message that the runs of a connector begin to fail.
	ConnectorFailedPayload(c Connector, run PullRun) (Payload, error)
	// CheckAddress says what is wrong with the address of a receiver.
	CheckAddress(url string) error
	NewSecret(random io.Reader) (secrets.Secret, error)
	// Send makes one attempt. The error says that there was none that counts.
	Send(ctx context.Context, d Delivery, at time.Time, secrets []secrets.Secret) (SendResult, error)
	// DecideRetry gives the row of failures of a receiver after one more attempt, and what
	// is to follow the so many attempts at the delivery.
	DecideRetry(f FailureStreak, tries int, at time.Time, last SendResult) RetryDecision
}

// RetryDecision says what follows from an attempt.
type RetryDecision struct {
	Streak FailureStreak
	// Dead says that the receiver counts as dead.
	Dead bool
	// Retry says that there is a further attempt, after Wait.
	Retry bool
	Wait  time.Duration
}

// Payload is what a message holds.
type Payload struct {
	Event       string
	ContentType string
	Body        []byte
}

// SendResult says what came of an attempt.
type SendResult struct {
	Attempt
	// RetryAfter is for how long the receiver asked to be left alone.
	RetryAfter time.Duration
}

// SFTP reaches SFTP servers.
type SFTP interface {
	// TestConnection logs in and looks around. An error is a sentence for people.
	TestConnection(ctx context.Context, login Login) (SFTPReport, error)
	// Fingerprint gives the OpenSSH fingerprint of the public half of a key.
	Fingerprint(privateKey secrets.Secret) (string, error)
	// ValidHostname says what is wrong with a host name.
	ValidHostname(name string) error
}

// Login is what is needed to log in to an SFTP server.
type Login struct {
	Hostname   string
	Port       int
	User       string
	Password   secrets.Secret
	PrivateKey secrets.Secret
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
	// activeRuns are the runs of imports that this process works on.
	activeRuns *inProgress
	// drafts are those of imports that persons review here.
	drafts *drafts
	// deliverySlots are the deliveries that are on their way from here.
	deliverySlots *deliverySlots
	// pullSlots are the runs of connectors that are under way here.
	pullSlots *pullSlots
	// changeProgress are the changes of rows that are made here just now.
	changeProgress *changeProgress
	// activeReplays are the idempotency keys whose requests are carried out here.
	activeReplays *inProgress
	// sweeps counts the calls of Sweep, which come from one goroutine; idle is
	// what the last one found that ran here by its row and in truth did not.
	sweeps int
	// lastTidy is when blobs that nothing names were looked for last; of Tidy alone.
	lastTidy time.Time
	idleRuns []ImportRef
}

// keyring holds one key for each purpose, all derived from the master key.
type keyring struct {
	licence, upload, download, review, visit, hydration, idempotency, password, signing secrets.Key
	secrets, replays                                                                    *secrets.Cipher
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
	if cfg.CrashPoint == nil {
		cfg.CrashPoint = func(string) {}
	}
	keys, err := deriveKeys(cfg.Master)
	if err != nil {
		return nil, err
	}
	return &Service{cfg: cfg, keys: keys, activeRuns: newInProgress(), activeReplays: newInProgress(), drafts: &drafts{open: map[string]*openDraft{}}, deliverySlots: newDeliverySlots(), pullSlots: newPullSlots(), changeProgress: &changeProgress{byImport: map[string]Progress{}}}, nil
}

func deriveKeys(m secrets.Master) (keyring, error) {
	k := keyring{
		licence: m.Derive("licence keys"), upload: m.Derive("upload addresses"),
		download: m.Derive("download addresses"), review: m.Derive("review links"), visit: m.Derive("review visits"),
		hydration: m.Derive("hydration tokens"), idempotency: m.Derive("idempotency keys"),
		password: m.Derive("password fingerprints"), signing: m.Derive("webhook signatures"),
	}
	var err error
	if k.secrets, err = m.Cipher("sftp secrets"); err != nil {
		return k, err
	}
	k.replays, err = m.Cipher("kept answers")
	return k, err
}

// now is the time in the precision that the store keeps.
func (s *Service) now() time.Time { return s.cfg.Clock().UTC().Truncate(time.Microsecond) }

// RunJob is the kind of the jobs that wake a worker to run imports. They name
// no import: the worker takes whichever is next.
const RunJob = "run"

func enqueueRun(ctx context.Context, tx Tx) error {
	return tx.Jobs.Enqueue(ctx, queue.Job{Kind: RunJob})
}

// Ready says whether the service can do its work just now.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.cfg.Store.Ping(ctx); err != nil {
		return newError(Unavailable, "store_unavailable", intray.NewMessage("service.database_silent", nil))
	}
	if err := s.cfg.Blobs.CheckWritable(ctx); err != nil {
		return newError(Unavailable, "blobs_unavailable", intray.NewMessage("service.file_storage_unavailable", nil))
	}
	return nil
}

// ParseID reads an id in its one spelling: 36 characters, any case.
func ParseID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	id, err := uuid.Parse(text)
	return id.String(), err == nil
}

// newID makes a random id.
func (s *Service) newID() (string, error) {
	id, err := uuid.NewRandomFromReader(s.cfg.Rand)
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}

// idOrNew gives the id that the caller fixed, or a new one.
func (s *Service) idOrNew(fixed string) (string, error) {
	if fixed != "" {
		return fixed, nil
	}
	return s.newID()
}

// derivedID makes an id that depends on its parts only.
func derivedID(mac []byte) string {
	var id uuid.UUID
	copy(id[:], mac)
	id[6] = id[6]&0x0f | 0x80 // version 8: free form
	id[8] = id[8]&0x3f | 0x80 // RFC 9562 variant
	return id.String()
}

// randomText gives n random bytes as URL-safe text.
func (s *Service) randomText(n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.cfg.Rand, b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// isPrintable says whether text is UTF-8 and free of control characters, so that it can
// stand in a header or a log line.
func isPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 })
}

// inProgress notes what this process is working on. It tells work that is under
// way from work that was left behind, of which the store knows the same.
type inProgress struct {
	mu    sync.Mutex
	names map[string]bool
}

func newInProgress() *inProgress { return &inProgress{names: map[string]bool{}} }

// tryAdd says whether the name was not there before.
func (h *inProgress) tryAdd(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names[name] {
		return false
	}
	h.names[name] = true
	return true
}

func (h *inProgress) remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.names, name)
}

func (h *inProgress) contains(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names[name]
}
