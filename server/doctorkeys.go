package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/doctor"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sqlstore"
)

func (d *diagnosis) checkMasterKey(ctx context.Context, r *doctor.Result) {
	cfg, where := &d.cfg, d.cfg.masterKeyPath()
	if cfg.MasterKey != "" {
		where = "INTRAY_MASTER_KEY"
		if cfg.checkStore() != nil {
			r.Detail = where
			r.Skip(skippedInvalid)
			return
		}
	}
	if cfg.MasterKey == "" && d.folderFails() {
		r.Detail = where
		r.Skip(skippedFolder)
		return
	}
	master, err := cfg.currentMaster()
	_, statErr := os.Stat(cfg.masterKeyPath())
	missing := cfg.MasterKey == "" && errors.Is(statErr, fs.ErrNotExist)
	if err != nil && !missing {
		d.explainKeyError(r, where, err)
		return
	}
	store, err := d.open(ctx)
	if err != nil && !errors.Is(err, errNoDatabase) {
		skipWithoutDatabase(r, where)
		return
	}
	marks := sqlstore.KeyMarks{}
	if d.version > 0 {
		if marks, err = store.KeyMarks(ctx); err != nil {
			r.Fail(where, "The fingerprint of the master key cannot be read from the database.", "Repair the problems of the database, and run intray doctor again.")
			return
		}
	}
	switch {
	case marks.MasterID == "" && missing:
		r.Detail = where + " will be created"
	case marks.MasterID == "":
		r.Detail = where + ", for a new database"
	case missing:
		r.Fail(where, "The file is missing, but the database was created with a master key.", "Restore the file from its copy, or set the key in INTRAY_MASTER_KEY. Without the key, API keys and secrets are lost.")
	case master.ID() == marks.MasterID:
		r.Detail = where
		d.checkKeyring(r, where, master, marks.Keyring)
	default:
		d.checkNextMaster(r, where, marks)
	}
}

// explainKeyError reports why the master key cannot be used.
func (d *diagnosis) explainKeyError(r *doctor.Result, where string, err error) {
	stat, statErr := os.Stat(d.cfg.masterKeyPath())
	switch {
	case errors.Is(err, fs.ErrPermission):
		r.Fail(where, fmt.Sprintf("The master key cannot be read: %v.", doctor.Cause(err)), "Run intray doctor as the user of the server, or give the file to this user.")
	case d.cfg.MasterKey == "" && statErr == nil && stat.Mode().Perm()&0o077 != 0:
		r.Fail(where, fmt.Sprintf("The master key can be read or changed by others (mode %04o), so the server does not start.", stat.Mode().Perm()), "Run: chmod 600 "+where)
	default:
		r.Fail(where, "This is not a master key, which consists of 32 bytes in base64.", "Restore the key from its copy.")
	}
}

// checkKeyring checks that the internal keys can be decrypted.
func (d *diagnosis) checkKeyring(r *doctor.Result, where string, master secrets.Master, keyring string) {
	if keyring == "" { // an earlier version created the database
		return
	}
	if _, err := master.DecryptKeyring(keyring); err != nil {
		r.Fail(where, "The internal keys in the database cannot be decrypted with the master key.", "Restore the database and the master key from the same backup.")
	}
}

// checkNextMaster checks the key of a rotation that was interrupted.
func (d *diagnosis) checkNextMaster(r *doctor.Result, where string, marks sqlstore.KeyMarks) {
	if next, err := d.cfg.nextMaster(); err == nil && next.ID() == marks.MasterID {
		r.Warn(where, "A rotation of the master key was not completed.", "Run intray keys rotate-master again, or set INTRAY_MASTER_KEY to the new key.")
		return
	}
	r.Fail(where, "The database belongs to another master key.", "Restore master.key from its copy, or set INTRAY_MASTER_KEY to the key of this database. After intray keys rotate-master, only the new key is valid.")
}

// initialKey is a variable with a key that Intray creates in an empty database.
type initialKey struct {
	variable, text string
	kind           model.LicenceKind
}

// initialKeys returns the variables that are set.
func (c *Config) initialKeys() (list []initialKey) {
	for _, key := range []initialKey{{"INTRAY_BACKEND_KEY", c.BackendKey, model.Backend}, {"INTRAY_FRONTEND_KEY", c.FrontendKey, model.Frontend}} {
		if key.text != "" {
			list = append(list, key)
		}
	}
	return list
}

// problem describes the format of the key if its text does not have it. Otherwise it returns "".
func (k initialKey) problem() string {
	if format := auth.CheckKeyFormat(k.kind, k.text); format != (intray.Message{}) {
		return k.variable + " " + format.String()
	}
	return ""
}

// explainInitialKeys returns an error that names the variable with an invalid key. Without one, it returns
// err.
func (c *Config) explainInitialKeys(err error) error {
	for _, key := range c.initialKeys() {
		if problem := key.problem(); problem != "" {
			return usageErrorf("%s", problem)
		}
	}
	return err
}

// checkInitialKeys checks the keys for an empty database. In a database with keys, they must be among them,
// because another key has no effect.
func (d *diagnosis) checkInitialKeys(ctx context.Context, r *doctor.Result) {
	used, find, err := d.keyFinder(ctx)
	for _, key := range d.cfg.initialKeys() {
		problem := key.problem()
		switch {
		case used && err == nil && !find(key.text):
			r.Warn(key.variable, key.variable+" is ignored, because the database already has API keys.", "Unset it. To create an additional key, run: intray keys create")
		case problem != "" && !used:
			status := doctor.Failure
			if err != nil && !errors.Is(err, errNoDatabase) { // the database may have keys
				status = doctor.Warning
			}
			r.Add(doctor.Finding{Status: status, Problem: problem + ".", Where: key.variable, Fix: "Correct the key, or unset the variable to let Intray generate one."})
		}
	}
}

// keyFinder reports whether the database has organizations, and returns a function that reports whether
// an API key is valid there.
func (d *diagnosis) keyFinder(ctx context.Context) (used bool, find func(key string) bool, err error) {
	store, err := d.open(ctx)
	if err != nil || d.version == 0 {
		return false, nil, err
	}
	if d.version < d.supported {
		return true, nil, errors.New("the database must be migrated first")
	}
	orgs, err := model.View(ctx, store, func(tx model.Tx) ([]model.Org, error) { return tx.Accounts.Orgs(ctx) })
	if err != nil || len(orgs) == 0 {
		return false, nil, err
	}
	keys, err := d.keyring(ctx, store)
	if err != nil {
		return true, nil, err
	}
	service, err := auth.New(&model.Env{Store: store, Keys: keys, Clock: time.Now})
	return true, func(key string) bool {
		_, err := service.FindKey(ctx, key)
		return !model.IsKind(err, model.Denied)
	}, err
}

// keyring returns the internal keys.
func (d *diagnosis) keyring(ctx context.Context, store *sqlstore.Store) (secrets.Keyring, error) {
	marks, err := store.KeyMarks(ctx)
	if err != nil {
		return secrets.Keyring{}, err
	}
	if marks.Keyring == "" {
		return secrets.Keyring{}, errors.New("an earlier version created the database")
	}
	master, err := d.cfg.masterWithID(marks.MasterID)
	if err != nil {
		return secrets.Keyring{}, err
	}
	return master.DecryptKeyring(marks.Keyring)
}
