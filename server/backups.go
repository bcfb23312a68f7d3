package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/backup"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/blob/s3"
	"github.com/intraydata/intray/server/integrity"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sqlstore"
)

// backupNames is the label of the key that determines the names of the objects in backups.
const backupNames = "backup names"

// Backup backs up the data folder to a repository: the path of a folder, or s3://BUCKET/PREFIX. A server
// may be running at the same time.
func Backup(ctx context.Context, cfg Config, to string, options backup.Options) (backup.Summary, error) {
	ctx = model.AcrossOrgs(ctx)
	none := backup.Summary{}
	if cfg.DatabaseURL != "" {
		return none, usageErrorf("intray backup is for data folders with SQLite; back up PostgreSQL with pg_dump, and its files with the tools of their store")
	}
	if _, err := backup.ParseRecipients(options.Recipients); err != nil {
		return none, usageErrorf("--recipient: %w; to create a pair of keys, run: intray keys backup FILE", err)
	}
	if err := cfg.checkStoreExists(); err != nil {
		return none, err
	}
	if within(cfg.Data, to) {
		return none, usageErrorf("%s is in the data folder; use a different disk, or a bucket", to)
	}
	lock, err := lockBackup(cfg.Data)
	if err != nil {
		return none, err
	}
	defer func() { _ = lock.Close() }()
	repository, closeRepository, err := openRepository(ctx, cfg, to)
	if err != nil {
		return none, err
	}
	defer func() { _ = closeRepository() }()
	source, closeSource, err := openBackupSource(ctx, cfg)
	if err != nil {
		return none, err
	}
	made, err := repository.Create(ctx, source, options)
	if err == nil {
		err = recordBackup(lock)
	}
	return made, errors.Join(err, closeSource())
}

// within reports whether a path is in a folder, or is the folder itself.
func within(folder, path string) bool {
	if isBucket(path) {
		return false
	}
	folder, err := filepath.Abs(folder)
	inside, err2 := filepath.Abs(path)
	if errors.Join(err, err2) != nil {
		return false
	}
	relative, err := filepath.Rel(folder, inside)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

func isBucket(address string) bool { return strings.HasPrefix(address, "s3://") }

// backupLockName is the name of a file in the data folder. The process that backs up the folder locks it. It
// contains the time of the last complete backup.
const backupLockName = "backup.lock"

// lockBackup returns an error if another backup of the data folder is running.
func lockBackup(folder string) (*os.File, error) {
	return lockFile(folder, backupLockName, fmt.Errorf("another backup of %s is running; wait until it has ended", folder))
}

// recordBackup stores the current time for lastBackup.
func recordBackup(lock *os.File) error {
	_, err := lock.WriteAt([]byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0)
	if err != nil {
		return fmt.Errorf("record the time of the backup: %w", err)
	}
	return nil
}

// lastBackup returns the time of the last complete backup of a data folder, if it is known.
func lastBackup(folder string) (at time.Time, known bool) {
	content, err := os.ReadFile(filepath.Join(folder, backupLockName))
	if err != nil {
		return at, false
	}
	at, err = time.Parse(time.RFC3339, strings.TrimSpace(string(content)))
	return at, err == nil
}

// openRepository opens a repository, or prepares a new one.
func openRepository(ctx context.Context, cfg Config, address string) (*backup.Repository, func() error, error) {
	var store interface {
		backup.Store
		Close() error
	}
	var err error
	if isBucket(address) {
		store, err = s3.Open(ctx, address, s3.Config{Log: cfg.Log})
		if errors.Is(err, s3.ErrConfig) {
			err = UsageError{err}
		}
	} else if err = checkRepositoryFolder(address); err == nil {
		store, err = disk.Open(address, disk.Config{})
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the repository of backups: %w", err)
	}
	repository, err := backup.Open(ctx, store)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the repository of backups %s: %w", address, err), store.Close())
	}
	return repository, store.Close, nil
}

// checkRepositoryFolder returns a UsageError if a folder is certainly used for something else. Opening
// it would create files in it.
func checkRepositoryFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return UsageError{err}
	}
	used := len(entries) > 0
	for _, entry := range entries {
		switch entry.Name() {
		case sqliteName, masterKeyName:
			return usageErrorf("%s is a data folder; use another folder for backups", folder)
		case "blobs":
			used = false
		}
	}
	if used {
		return usageErrorf("%s contains other files, and no backups; use an empty folder", folder)
	}
	return nil
}

// OpenBackups opens an existing repository.
func OpenBackups(ctx context.Context, cfg Config, from string) (*backup.Repository, func() error, error) {
	if !isBucket(from) {
		if _, err := os.Stat(from); err != nil {
			return nil, nil, UsageError{fmt.Errorf("open the repository of backups: %w", err)}
		}
	}
	repository, closeRepository, err := openRepository(ctx, cfg, from)
	if err == nil && repository.Recipients() == nil {
		err = errors.Join(usageErrorf("there are no backups in %s", from), closeRepository())
	}
	return repository, closeRepository, err
}

// openBackupSource opens the data folder for a backup.
func openBackupSource(ctx context.Context, cfg Config) (backup.Source, func() error, error) {
	none := backup.Source{}
	blobs, err := disk.Open(cfg.blobDir(), disk.Config{})
	if err != nil {
		return none, nil, fmt.Errorf("open the blobs: %w", err)
	}
	rows, err := openStore(ctx, cfg, "")
	if err != nil {
		return none, nil, errors.Join(err, blobs.Close())
	}
	temp := filepath.Join(cfg.Data, "backup.tmp")
	closeAll := func() error { return errors.Join(os.RemoveAll(temp), rows.Close(), blobs.Close()) }
	keys, err := openKeyring(ctx, cfg, rows)
	if err == nil {
		err = cfg.explainFingerprint(retention.CheckFingerprint(ctx, rows, blobs))
	}
	if err == nil {
		err = os.RemoveAll(temp) // an interrupted backup may have left it
	}
	if err == nil {
		err = os.Mkdir(temp, 0o700)
	}
	if err != nil {
		return none, nil, errors.Join(err, closeAll())
	}
	return backup.Source{
		Files: blobs, Temp: temp, Key: keys.Derive(backupNames), Version: cfg.Version,
		CopyDatabase: func(ctx context.Context, path string) (int64, string, error) {
			return cfg.copyDatabase(ctx, rows, path)
		},
	}, closeAll, nil
}

// copyDatabase copies the database. It returns the version of its schema and its master key, or "" if
// the key is in INTRAY_MASTER_KEY.
func (c *Config) copyDatabase(ctx context.Context, rows *sqlstore.Store, path string) (schema int64, masterKey string, err error) {
	marks, err := rows.KeyMarks(ctx)
	for {
		if err != nil {
			return 0, "", err
		}
		if err := rows.CopyTo(ctx, path); err != nil {
			return 0, "", err
		}
		before := marks
		if marks, err = rows.KeyMarks(ctx); err != nil || marks == before {
			break
		}
		err = os.Remove(path) // the master key was replaced in the meantime
	}
	if err == nil {
		schema, _, err = rows.Versions(ctx)
	}
	if err == nil && c.MasterKey == "" {
		masterKey, err = c.masterKeyText(marks.MasterID)
	}
	return schema, masterKey, err
}

// masterKeyText returns the content of the file with the master key that has the given ID.
func (c *Config) masterKeyText(id string) (string, error) {
	for _, path := range []string{c.masterKeyPath(), c.nextMasterKeyPath(), c.formerMasterKeyPath(id)} {
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		text := strings.TrimSpace(string(content))
		if master, err := secrets.ParseMaster(text); err == nil && master.ID() == id {
			return text, nil
		}
	}
	return "", errOtherKey
}

// RestoreOptions configure Restore.
type RestoreOptions struct {
	// Number selects a backup. 0 means the newest one.
	Number int64
	// Identities are the private keys.
	Identities []age.Identity
	// Skip is called for each file that is missing in the backup or damaged. It returns nil to continue
	// without the file. If Skip is nil, such a backup is not restored.
	Skip func(error) error
	// Progress is called after each restored object. It may be nil.
	Progress func(done, all int64)
	// Verify configures the verification of the restored files.
	Verify integrity.Options
}

// Restore restores a backup to the data folder, which must not exist or must be empty, and verifies
// it. Until everything is written, the data is in a folder next to it. Damage is not an error.
func Restore(ctx context.Context, cfg Config, from string, options RestoreOptions) (backup.Manifest, integrity.Summary, error) {
	ctx = model.AcrossOrgs(ctx)
	var sum integrity.Summary
	if cfg.DatabaseURL != "" {
		return backup.Manifest{}, sum, usageErrorf("intray restore creates a data folder with SQLite; unset --database-url. To use PostgreSQL, run intray move afterwards")
	}
	if err := checkEmpty(cfg.Data); err != nil {
		return backup.Manifest{}, sum, err
	}
	repository, closeRepository, err := OpenBackups(ctx, cfg, from)
	if err != nil {
		return backup.Manifest{}, sum, err
	}
	defer func() { _ = closeRepository() }()
	staged := cfg
	staged.Data = filepath.Clean(cfg.Data) + ".restoring"
	manifest, err := staged.restore(ctx, repository, options)
	if err == nil {
		sum, err = staged.verify(ctx, options.Verify)
	}
	if err != nil {
		return manifest, sum, err
	}
	if err := os.Remove(cfg.Data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return manifest, sum, err
	}
	if err := os.Rename(staged.Data, cfg.Data); err != nil {
		return manifest, sum, err
	}
	return manifest, sum, filesys.SyncFolder(filepath.Dir(filepath.Clean(cfg.Data)))
}

// checkEmpty returns a UsageError unless a folder is empty or does not exist.
func checkEmpty(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return UsageError{err}
	case len(entries) > 0:
		return usageErrorf("%s is not empty; restore to a new folder with --data, and move it later", folder)
	}
	return nil
}

// restore writes a backup to the data folder, which it creates. If it fails, it deletes the folder.
func (c *Config) restore(ctx context.Context, repository *backup.Repository, options RestoreOptions) (m backup.Manifest, err error) {
	if _, err := os.Stat(c.Data); !errors.Is(err, fs.ErrNotExist) {
		return m, usageErrorf("%s exists, probably because a restore was interrupted; delete it, and run the command again", c.Data)
	}
	var blobs *disk.Store
	m, err = repository.Restore(ctx, options.Number, options.Identities, backup.Target{
		Accept:   c.acceptBackup,
		Progress: options.Progress,
		Skip:     options.Skip,
		Database: filepath.Join(c.Data, sqliteName),
		Open: func(m backup.Manifest) (backup.Files, error) {
			if err := os.MkdirAll(c.Data, 0o700); err != nil {
				return nil, err
			}
			if blobs, err = disk.Open(c.blobDir(), disk.Config{}); err != nil || m.MasterKey == "" {
				return blobs, err
			}
			master, err := secrets.ParseMaster(m.MasterKey)
			if err == nil {
				err = secrets.CreateMasterFile(c.masterKeyPath(), master)
			}
			return blobs, err
		},
	})
	if blobs != nil {
		err = errors.Join(err, blobs.Close())
	}
	if err != nil && blobs != nil {
		err = errors.Join(err, os.RemoveAll(c.Data))
	}
	return m, err
}

// acceptBackup returns an error if this program or configuration cannot use a backup.
func (c *Config) acceptBackup(m backup.Manifest) error {
	newest, err := sqlstore.NewestVersion()
	switch {
	case err != nil:
		return err
	case m.Schema > newest:
		return fmt.Errorf("the backup was made by the newer version %s of Intray; restore it with that version", m.Version)
	case m.MasterKey == "" && c.MasterKey == "":
		return usageErrorf("the backup does not contain the master key, because it was in INTRAY_MASTER_KEY; set INTRAY_MASTER_KEY to it")
	}
	return nil
}

// verify opens the restored data folder, which migrates the database, and verifies all files.
func (c *Config) verify(ctx context.Context, options integrity.Options) (integrity.Summary, error) {
	svc, closeAll, err := OpenToDelete(ctx, *c)
	if err != nil {
		return integrity.Summary{}, errors.Join(fmt.Errorf("the backup was restored to %s, but cannot be opened: %w", c.Data, err))
	}
	sum, err := svc.Verify(ctx, options)
	return sum, errors.Join(err, closeAll())
}
