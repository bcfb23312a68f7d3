package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sqlstore"
)

// errOtherKey means that the database can be used only with a different master key.
var errOtherKey = errors.New("the database belongs to another master key: " +
	"set INTRAY_MASTER_KEY to that key, or restore the file master.key in the data folder; " +
	"after intray keys rotate-master, only the new key is valid")

// masterKeyName is the name of the file with the master key in the data folder.
const masterKeyName = "master.key"

func (c *Config) masterKeyPath() string     { return filepath.Join(c.Data, masterKeyName) }
func (c *Config) nextMasterKeyPath() string { return filepath.Join(c.Data, "master.key.new") }

// formerMasterKeyPath returns the path at which a replaced master key is preserved.
func (c *Config) formerMasterKeyPath(id string) string {
	return filepath.Join(c.Data, "master.key."+id)
}

// openKeyring returns the internal keys, which are stored in the database, encrypted with the
// master key. It creates them for a new database. For a database of an earlier version, whose keys
// were derived from the master key itself, it stores those.
func openKeyring(ctx context.Context, cfg Config, rows *sqlstore.Store) (secrets.Keyring, error) {
	marks, err := rows.KeyMarks(ctx)
	if err != nil {
		return secrets.Keyring{}, err
	}
	if marks.Keyring == "" {
		if marks, err = createKeyring(ctx, cfg, rows, marks); err != nil {
			return secrets.Keyring{}, err
		}
	}
	for {
		master, err := cfg.masterWithID(marks.MasterID)
		if err == nil {
			return master.DecryptKeyring(marks.Keyring)
		}
		// If another process rotates the key at this time, the marks may be older than the file.
		before := marks
		again, readErr := rows.KeyMarks(ctx)
		if readErr != nil {
			return secrets.Keyring{}, readErr
		}
		if marks = again; marks == before {
			return secrets.Keyring{}, err
		}
	}
}

// createKeyring stores the internal keys in a database that has none, and returns its marks. It
// creates a master key only for a database that has never had one, because a new key would hide
// that the original one is missing.
func createKeyring(ctx context.Context, cfg Config, rows *sqlstore.Store, marks sqlstore.KeyMarks) (sqlstore.KeyMarks, error) {
	keys := secrets.NewKeyring()
	var master secrets.Master
	var err error
	switch {
	case marks.MasterID != "":
		if master, err = cfg.masterWithID(marks.MasterID); err == nil {
			keys = master.Keyring().WithNewSecrets()
		}
	case cfg.MasterKey != "":
		master, err = secrets.ParseMaster(cfg.MasterKey)
	default:
		master, err = secrets.LoadOrCreate(cfg.masterKeyPath())
	}
	if err != nil {
		return sqlstore.KeyMarks{}, err
	}
	encrypted, err := master.EncryptKeyring(keys)
	if err != nil {
		return sqlstore.KeyMarks{}, err
	}
	return rows.EnsureKeyMarks(ctx, sqlstore.KeyMarks{MasterID: master.ID(), Keyring: encrypted})
}

// masterWithID returns the configured master key that has the given ID: the current one, or the
// new one of a rotation that has not been completed. It reads the new one first, because another
// process may replace the current key with it at any time.
func (c *Config) masterWithID(id string) (secrets.Master, error) {
	next, nextErr := c.nextMaster()
	current, err := c.currentMaster()
	switch {
	case err != nil:
		return secrets.Master{}, err
	case current.ID() == id:
		return current, nil
	case nextErr == nil && next.ID() == id:
		c.Log.Warn("rotation of the master key not completed: run intray keys rotate-master again, or set INTRAY_MASTER_KEY to the new key")
		return next, nil
	case nextErr != nil && !errors.Is(nextErr, fs.ErrNotExist):
		return secrets.Master{}, nextErr
	}
	return secrets.Master{}, errOtherKey
}

func (c *Config) currentMaster() (secrets.Master, error) {
	if c.MasterKey != "" {
		return secrets.ParseMaster(c.MasterKey)
	}
	path := c.masterKeyPath()
	master, err := secrets.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return master, fmt.Errorf("%s is missing, but the database was created with a master key: "+
			"restore the file from its backup, or set the key in INTRAY_MASTER_KEY", path)
	}
	return master, err
}

// nextMaster returns the new key of a rotation. If there is none, it returns an error that wraps
// fs.ErrNotExist.
func (c *Config) nextMaster() (secrets.Master, error) {
	switch {
	case c.MasterKey == "":
		return secrets.Load(c.nextMasterKeyPath())
	case c.NewMasterKey == "":
		return secrets.Master{}, fmt.Errorf("INTRAY_NEW_MASTER_KEY is not set: %w", fs.ErrNotExist)
	}
	return secrets.ParseMaster(c.NewMasterKey)
}

// MasterRotation describes what RotateMaster did.
type MasterRotation struct {
	// Done is false if an earlier call had already replaced the key in the database.
	Done bool
	// File is the path of the new key, and Former that of the old one. They are "" if the key is in
	// INTRAY_MASTER_KEY.
	File, Former string
}

// RotateMaster encrypts the internal keys with a new master key. API keys, links, secrets and
// running servers remain valid. If revokeLinks is true, all signed links and tokens become invalid,
// in other processes when they restart.
//
// If INTRAY_MASTER_KEY is set, the new key is NewMasterKey. Otherwise it is NewMasterKey or a random
// key, and RotateMaster replaces the file master.key. After a crash at any point, servers start as
// before, and the next call completes the rotation.
func RotateMaster(ctx context.Context, cfg Config, revokeLinks bool) (MasterRotation, error) {
	ctx = model.AcrossOrgs(ctx)
	if err := cfg.checkStore(); err != nil {
		return MasterRotation{}, err
	}
	if cfg.MasterKey != "" && cfg.NewMasterKey == "" {
		return MasterRotation{}, usageErrorf("the master key is in INTRAY_MASTER_KEY: set INTRAY_NEW_MASTER_KEY to the new key. To generate one, run: openssl rand -base64 32")
	}
	if cfg.MasterKey == "" || cfg.DatabaseURL == "" {
		if err := cfg.checkStoreExists(); err != nil {
			return MasterRotation{}, err
		}
		unlock, err := lockRotation(cfg.Data)
		if err != nil {
			return MasterRotation{}, err
		}
		defer func() { _ = unlock() }()
	}
	rows, err := openStore(ctx, cfg, "")
	if err != nil {
		return MasterRotation{}, err
	}
	reached := crashPoint()
	if reached == nil {
		reached = func(string) {}
	}
	done, err := rotateMaster(ctx, cfg, rows, revokeLinks, reached)
	return done, errors.Join(err, rows.Close())
}

var errRotating = errors.New("another process is rotating the master key; wait until it has ended")

// lockRotation locks the data folder, so that no other process moves the files with master keys. It
// does not affect servers, which lock a file in the folder.
func lockRotation(folder string) (unlock func() error, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	lock, err := filesys.OpenFolderLock(root, ".")
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	free, err := filesys.TryLock(lock)
	if err == nil && !free {
		err = errRotating
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil
}

// rotateMaster is RotateMaster for an open database. It calls reached at each point where a crash
// must not cause damage.
func rotateMaster(ctx context.Context, cfg Config, rows *sqlstore.Store, revokeLinks bool, reached func(string)) (MasterRotation, error) {
	keys, err := openKeyring(ctx, cfg, rows)
	if err != nil {
		return MasterRotation{}, err
	}
	marks, err := rows.KeyMarks(ctx)
	if err != nil {
		return MasterRotation{}, err
	}
	old, err := cfg.currentMaster()
	if err != nil {
		return MasterRotation{}, err
	}
	next, err := cfg.createNextMaster()
	if err != nil {
		return MasterRotation{}, err
	}
	if old.ID() == next.ID() {
		return MasterRotation{}, usageErrorf("the new master key is the same as the old one")
	}
	reached("rotation.created")
	result := MasterRotation{Done: marks.MasterID != next.ID()}
	if result.Done {
		if err := cfg.replaceKeyring(ctx, rows, marks, keys, next, revokeLinks); err != nil {
			return MasterRotation{}, err
		}
		reached("rotation.committed")
	}
	if cfg.MasterKey != "" {
		return result, nil
	}
	result.File, result.Former = cfg.masterKeyPath(), cfg.formerMasterKeyPath(old.ID())
	err = secrets.ReplaceMasterFile(result.File, cfg.nextMasterKeyPath(), result.Former)
	reached("rotation.replaced")
	return result, err
}

// createNextMaster returns the new key of a rotation. If the key is in a file, createNextMaster
// creates the file unless an earlier rotation did.
func (c *Config) createNextMaster() (secrets.Master, error) {
	if c.MasterKey != "" {
		return c.nextMaster()
	}
	path := c.nextMasterKeyPath()
	if c.NewMasterKey == "" {
		return secrets.LoadOrCreate(path)
	}
	given, err := secrets.ParseMaster(c.NewMasterKey)
	if err != nil {
		return given, err
	}
	if err := secrets.CreateMasterFile(path, given); err != nil {
		return given, fmt.Errorf("create %s: %w", path, err)
	}
	stored, err := secrets.Load(path)
	if err == nil && stored.ID() != given.ID() {
		err = usageErrorf("a rotation to another key was interrupted: unset INTRAY_NEW_MASTER_KEY to complete it")
	}
	return stored, err
}

// replaceKeyring stores the internal keys, encrypted with the new master key, and encrypts the
// secrets in the database again. Those that an earlier version encrypted with a key from the master
// key itself are then encrypted with a random key. A secret that cannot be decrypted remains as it
// is.
func (c *Config) replaceKeyring(ctx context.Context, rows *sqlstore.Store, marks sqlstore.KeyMarks, keys secrets.Keyring, next secrets.Master, revokeLinks bool) error {
	cipher, err := keys.Cipher(model.SecretLabel)
	if err != nil {
		return err
	}
	reseal := func(sealed []byte, org, id string) ([]byte, error) {
		plain, err := cipher.Open(sealed, org, id)
		if err != nil {
			c.Log.Warn("secret not readable, not encrypted again", "organization", org, "id", id, "error", err)
			return sealed, nil
		}
		return cipher.Seal(plain, org, id)
	}
	if revokeLinks {
		keys = keys.WithoutTokens()
	}
	encrypted, err := next.EncryptKeyring(keys)
	if err != nil {
		return err
	}
	err = rows.ReplaceKeyMarks(ctx, marks, sqlstore.KeyMarks{MasterID: next.ID(), Keyring: encrypted}, reseal)
	if model.IsKind(err, model.Conflict) {
		return errRotating
	}
	if err != nil {
		return fmt.Errorf("replace the master key: %w", err)
	}
	return rows.Forget(ctx)
}
