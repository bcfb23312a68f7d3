package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/blob/s3"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/queue"
	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/service"
	"github.com/intraydata/intray/server/sftp"
	"github.com/intraydata/intray/server/sqlstore"
	"github.com/intraydata/intray/server/widget"
	"github.com/intraydata/intray/source/formats"
)

// components are the parts from which a service is assembled.
type components struct {
	service       *service.Service
	node          string
	store         *sqlstore.Store
	webhookSender *webhookSender
	// uploadOrigin is the origin of the bucket if clients can send files directly to it, or "".
	uploadOrigin string
	// lock is nil for a process that does not serve.
	lock  *folderLock
	close func() error
}

// open opens the data folder and the database, and creates the service. If hooks is
// nil, the service does not run hooks.
//
// room is the reserve of disk space. It is nil for a process that does not serve.
func open(ctx context.Context, cfg Config, hooks *hookRunner, room model.Reserve) (*components, error) {
	ctx = model.AcrossOrgs(ctx)
	if err := cfg.checkStore(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("create the data folder: %w", err)
	}
	node, err := nodeName(cfg.Data)
	if err != nil {
		return nil, err
	}
	blobs, err := openBlobs(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the blobs: %w", err)
	}
	direct, uploadOrigin, err := directStore(ctx, cfg, blobs)
	if err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	var observer model.Observer
	if cfg.metrics != nil {
		blobs, observer = cfg.metrics.observeBlobs(blobs), cfg.metrics.work
	}
	rows, err := openStore(ctx, cfg, node)
	if err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	closeAll := func() error { return errors.Join(rows.Close(), blobs.Close()) }
	if err := cfg.checkMove(ctx, rows); err != nil {
		return nil, errors.Join(err, closeAll())
	}
	if err := checkFiles(ctx, cfg, rows, blobs); err != nil {
		return nil, errors.Join(err, closeAll())
	}
	keys, err := openKeyring(ctx, cfg, rows)
	if err != nil {
		return nil, errors.Join(err, closeAll())
	}
	moved := engine.Config{Formats: formats.Formats(cfg.tempDir()), Temp: cfg.tempDir()}
	pages := widget.NewBroker()
	var check func(context.Context, intray.Hooks) (intray.Message, error)
	if hooks != nil {
		hooks.pages = pages
		if cfg.metrics != nil {
			hooks.metrics = cfg.metrics.work
		}
		moved.LoadHooks, check = hooks.loadMixed, hooks.checkHooks
	}
	dialer := egress.New(egress.Config{Allow: cfg.EgressAllow, AllowByOrg: cfg.EgressAllowByOrg, Log: cfg.Log})
	sender, servers := newWebhookSender(dialer), sftpServers{sftp.New(dialer, sftp.Config{})}
	made, err := service.New(service.Config{
		Store: rows, Blobs: blobs, Direct: direct, Keys: keys, Engine: engine.New(moved), WebhookSender: sender,
		SFTP: servers, Remotes: servers, Reserve: room, Quotas: cfg.Quotas, OverQuota: cfg.overQuota, Observer: observer, OOMKills: oomKills, Node: node, Host: hostName(), Version: cfg.Version, HasEnded: cfg.hasEnded(), MaxFileSize: cfg.MaxFileSize, Runs: cfg.Memory.Imports, RunsPerOrg: cfg.MaxRunsPerOrg, StallTimeout: cfg.StallTimeout, ScrubPeriod: cfg.scrubPeriod(), ReviewLinkLife: cfg.ReviewLinkLife, TempDir: cfg.tempDir(), Pages: pages, Log: slog.New(requestLog{cfg.Log.Handler()}),
		CrashPoint: crashPoint(), CheckHooks: check,
	})
	if err != nil {
		return nil, errors.Join(err, closeAll())
	}
	closeStores := closeAll
	closeAll = func() error { return errors.Join(made.Close(), closeStores()) }
	return &components{service: made, node: node, store: rows, webhookSender: sender, uploadOrigin: uploadOrigin, close: closeAll}, nil
}

// hasEnded returns a function that reports whether the process of another node, whose data folder
// has the same name, has certainly ended. The SQLite database is in the data folder, which this
// process has locked, so all of them have. With PostgreSQL, such a node may be a live process with a
// copy of the data folder.
func (c *Config) hasEnded() func(node string) bool {
	return func(node string) bool { return c.DatabaseURL == "" || node == c.endedNode }
}

// checkFiles returns an error if this process must not use the database with these blobs. It writes
// nothing to the database. It is called before a new database is bound to a master key: otherwise,
// after a failed first start, the next one would need the same key.
func checkFiles(ctx context.Context, cfg Config, rows *sqlstore.Store, blobs blob.Store) error {
	err := retention.CheckFingerprint(ctx, rows, blobs)
	elsewhere := errors.Is(err, retention.ErrNoFingerprint) || errors.Is(err, retention.ErrOtherBlobs)
	if err != nil && (cfg.deletesFiles || !elsewhere) {
		return cfg.explainFingerprint(err)
	}
	marks, err := rows.KeyMarks(ctx)
	if err != nil || marks.Keyring != "" {
		return err
	}
	return blobs.CheckWritable(ctx)
}

// closableBlobs is a blob store that must be closed.
type closableBlobs interface {
	blob.Store
	io.Closer
}

// openBlobs opens the blob store. It returns a UsageError if its configuration is invalid.
func openBlobs(ctx context.Context, cfg Config) (closableBlobs, error) {
	if cfg.BlobURL != "" {
		store, err := s3.Open(ctx, cfg.BlobURL, s3.Config{Log: cfg.Log})
		if errors.Is(err, s3.ErrConfig) {
			err = UsageError{err}
		}
		return store, err
	}
	return disk.Open(cfg.blobDir(), disk.Config{})
}

// directStore returns the blob store if clients can send files directly to it, and the origin of the URLs
// that they use.
func directStore(ctx context.Context, cfg Config, blobs blob.Store) (blob.Presigner, string, error) {
	if !cfg.DirectUploads {
		return nil, "", nil
	}
	store, ok := blobs.(blob.Presigner)
	if !ok {
		return nil, "", errors.New("the store of files does not support direct uploads")
	}
	put, err := store.PresignPut(ctx, model.FingerprintKey, 1, time.Second)
	if err != nil {
		return nil, "", fmt.Errorf("prepare direct uploads: %w", err)
	}
	u, err := url.Parse(put.URL)
	if err != nil {
		return nil, "", fmt.Errorf("prepare direct uploads: %w", err)
	}
	return store, u.Scheme + "://" + u.Host, nil
}

// openStore opens the database. node is "" for a process that runs no imports.
func openStore(ctx context.Context, cfg Config, node string) (*sqlstore.Store, error) {
	jobs := queue.Config{Node: node, Workers: cfg.Memory.Imports, Grace: cfg.shutdownLimits().grace, Logger: slog.New(warnings{cfg.Log.Handler()})}
	database := sqlstore.Config{URL: cfg.DatabaseURL, Logger: cfg.Log, Queue: jobs}
	if cfg.DatabaseURL == "" {
		database.Path = filepath.Join(cfg.Data, sqliteName)
		if err := checkBlobsHaveRows(database.Path, cfg.blobDir()); err != nil {
			return nil, err
		}
	}
	rows, err := sqlstore.Open(ctx, database)
	if err != nil {
		return nil, cfg.explainDatabaseError(err)
	}
	return rows, nil
}

// nodeName returns the name of this process, which consists of a name stored in the
// data folder and a random suffix.
func nodeName(folder string) (string, error) {
	own, err := randomHex()
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", fmt.Errorf("name the data folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	kept, err := root.ReadFile(folderIDName)
	if err == nil && len(kept) == len(own) {
		return string(kept) + "/" + own, nil
	}
	name, err := randomHex()
	if err != nil {
		return "", err
	}
	if err := root.WriteFile(folderIDName, []byte(name), 0o600); err != nil {
		return "", fmt.Errorf("name the data folder: %w", err)
	}
	filesys.InheritFolderOwner(root, folderIDName)
	return name + "/" + own, nil
}

// hostName returns the name of this machine, or "" if it is unknown.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

func randomHex() (string, error) {
	b := make([]byte, 8)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("read random bytes: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// OpenAdmin opens the service for an administrative task, possibly while another process serves
// from the folder. The caller must call the returned function to close it.
func OpenAdmin(ctx context.Context, cfg Config) (*service.Service, func() error, error) {
	p, err := open(ctx, cfg, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	return p.service, p.close, nil
}

// OpenExisting is like OpenAdmin, but never creates a store. If there is none, it returns a
// UsageError and creates nothing.
func OpenExisting(ctx context.Context, cfg Config) (*service.Service, func() error, error) {
	if err := cfg.checkStoreExists(); err != nil {
		return nil, nil, err
	}
	return OpenAdmin(ctx, cfg)
}

// OpenToDelete is like OpenExisting, for a task that deletes files. It returns an error unless the
// files belong to the database.
func OpenToDelete(ctx context.Context, cfg Config) (*service.Service, func() error, error) {
	cfg.deletesFiles = true
	return OpenExisting(ctx, cfg)
}

// checkStoreExists returns a UsageError if the data folder contains no store. With PostgreSQL,
// the folder contains the blobs and usually the master key, but no database.
func (c *Config) checkStoreExists() error {
	advice := "use --data to select the folder of the server"
	switch {
	case c.DatabaseURL == "":
		advice = "use --data or --database-url"
	case c.MasterKey == "" && !c.deletesFiles:
		advice += ", or set INTRAY_MASTER_KEY"
	}
	_, err := os.Stat(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return usageErrorf("the data folder %s does not exist; %s", c.Data, advice)
	}
	if err != nil || c.DatabaseURL != "" {
		return err
	}
	_, err = os.Stat(filepath.Join(c.Data, sqliteName))
	if errors.Is(err, fs.ErrNotExist) {
		return usageErrorf("there is no %s in the data folder %s; %s", sqliteName, c.Data, advice)
	}
	return err
}

// These are the names of the SQLite database and of the file with the name of the folder, in the data
// folder.
const (
	sqliteName   = "intray.db"
	folderIDName = "folder.id"
)

// Migrate migrates the database to the current version and closes it.
func Migrate(ctx context.Context, cfg Config) error {
	if err := cfg.checkStore(); err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("create the data folder: %w", err)
	}
	rows, err := openStore(ctx, cfg, "")
	if err != nil {
		return err
	}
	return rows.Close()
}

// warnings drops log records below the level of a warning, because the queue logs
// every start and migration.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
