package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/blob/s3"
	"github.com/intraydata/intray/server/doctor"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/sqlstore"
)

const (
	// testedPostgres is the oldest version of PostgreSQL with which Intray is tested.
	testedPostgres = 150000
	// largeLog is the size of a write-ahead log that SQLite exceeds only if a reader never ends.
	largeLog = 1 << 30
	// quickCheckLimit is the time limit of the check of an SQLite database.
	quickCheckLimit = 12 * time.Second
)

var errNoDatabase = errors.New("the database does not exist")

func (d *diagnosis) sqlitePath() string { return filepath.Join(d.cfg.Data, sqliteName) }

// databaseWhere returns the setting and the name of the database, without a password.
func (d *diagnosis) databaseWhere() string {
	if d.cfg.DatabaseURL == "" {
		return d.sqlitePath()
	}
	return doctor.Setting("database-url") + ": " + d.cfg.databaseName()
}

// open opens the database once, for all checks. A database without tables can be used, but has the version
// 0. If there is no SQLite database yet, open returns errNoDatabase.
func (d *diagnosis) open(ctx context.Context) (*sqlstore.Store, error) {
	d.openOnce.Do(func() { d.openErr = d.openStore(ctx) })
	return d.store, d.openErr
}

func (d *diagnosis) openStore(ctx context.Context) (err error) {
	if err := d.cfg.checkStore(); err != nil {
		return err
	}
	if d.cfg.DatabaseURL == "" {
		if stat, err := os.Stat(d.sqlitePath()); errors.Is(err, fs.ErrNotExist) || err == nil && stat.Size() == 0 {
			return errNoDatabase
		}
	}
	store, err := sqlstore.OpenToInspect(ctx, d.databaseConfig())
	if err != nil {
		return err
	}
	d.store = store
	d.version, d.supported, err = store.SchemaVersion(ctx)
	if err == nil && d.version > d.supported {
		return errNewerDatabase
	}
	return err
}

var errNewerDatabase = errors.New("a newer version of this program has migrated the database")

func (d *diagnosis) databaseConfig() sqlstore.Config {
	if d.cfg.DatabaseURL != "" {
		return sqlstore.Config{URL: d.cfg.DatabaseURL, Logger: d.cfg.Log}
	}
	return sqlstore.Config{Path: d.sqlitePath(), Logger: d.cfg.Log}
}

func (d *diagnosis) checkDatabase(ctx context.Context, r *doctor.Result) {
	where := d.databaseWhere()
	r.Detail = d.cfg.databaseName()
	if d.cfg.DatabaseURL == "" && d.folderFails() {
		r.Skip(skippedFolder)
		return
	}
	store, err := d.open(ctx)
	switch {
	case d.cfg.checkStore() != nil:
		r.Skip(skippedInvalid)
		return
	case errors.Is(err, errNoDatabase):
		d.checkNoDatabase(r, where)
		return
	case errors.Is(err, errNewerDatabase):
		r.Fail(where, fmt.Sprintf("A newer version of Intray has migrated the database to version %d, but this program supports at most version %d.", d.version, d.supported), "Install the newer version again, or restore the database and the files from a backup of this version.")
		return
	case err != nil:
		d.explainOpenError(r, where, err)
		return
	}
	switch {
	case d.version == 0:
		r.Detail += ", without tables: the server creates them when it starts"
	case d.version < d.supported:
		r.Warn(where, fmt.Sprintf("The database has version %d, and this program needs version %d.", d.version, d.supported), "Make a backup, and start the server or run intray migrate. Both migrate the database.")
	}
	if d.cfg.DatabaseURL == "" {
		d.checkSQLite(ctx, r, where, store)
		return
	}
	d.checkPostgres(ctx, r, where, store)
}

// checkNoDatabase checks that a new SQLite database may be created.
func (d *diagnosis) checkNoDatabase(r *doctor.Result, where string) {
	r.Detail += " will be created"
	if err := checkBlobsHaveRows(d.sqlitePath(), d.cfg.blobDir()); err != nil {
		r.Fail(where, "The database is missing or empty, but the data folder holds files of its imports.", "Restore the database from its backup, or use another --data folder.")
	}
}

// explainOpenError reports why the database cannot be opened.
func (d *diagnosis) explainOpenError(r *doctor.Result, where string, err error) {
	var pg *pgconn.PgError
	var refused *pgconn.ConnectError
	switch {
	case errors.As(err, &pg):
		r.Fail(where, sentence("PostgreSQL refuses the connection: "+pg.Message), postgresAdvice(pg.Code))
	case errors.As(err, &refused):
		r.Fail(where, sentence("PostgreSQL cannot be reached: "+connectionError(refused).Error()), "Start PostgreSQL, and check the host, the port, sslmode and the firewall.")
	case d.cfg.DatabaseURL != "" && errors.Is(err, context.DeadlineExceeded):
		r.Fail(where, "PostgreSQL does not respond.", "Check that PostgreSQL works, and that a firewall does not drop its packets.")
	case errors.Is(err, fs.ErrPermission):
		r.Fail(where, fmt.Sprintf("The database cannot be read: %v.", doctor.Cause(err)), "Run intray doctor as the user of the server, or give the file to this user.")
	default:
		problem, fix := splitAdvice(d.cfg.explainDatabaseError(err).Error(), "Restore intray.db, intray.db-wal and the folder blobs from the same backup.")
		r.Fail(where, problem, fix)
	}
}

// postgresAdvice returns what to do about an error of PostgreSQL.
func postgresAdvice(code string) string {
	switch code {
	case "28P01":
		return "Correct the user and password in --database-url."
	case "28000":
		return "Allow this role, database and machine in pg_hba.conf, or correct --database-url."
	case "3D000":
		return "Create the database, for example with createdb, or correct its name in --database-url."
	case "53300":
		return "Increase max_connections in PostgreSQL, or set a lower pool_max_conns in --database-url for all processes."
	case "57P03":
		return "Wait until PostgreSQL has started, and read its log."
	case "42501":
		return "Grant the role access to the tables of Intray, or connect as the role that owns them."
	}
	return "Read the log of PostgreSQL, and check --database-url."
}

func (d *diagnosis) checkSQLite(ctx context.Context, r *doctor.Result, where string, store *sqlstore.Store) {
	path := d.sqlitePath()
	if stat, err := os.Stat(path); err == nil && stat.Mode().Perm()&0o077 != 0 {
		r.Warn(where, fmt.Sprintf("Other users of this machine can read the database (mode %04o).", stat.Mode().Perm()), "Run: chmod 600 "+path)
	}
	if file, err := os.OpenFile(path, os.O_RDWR, 0); err != nil {
		r.Fail(where, fmt.Sprintf("The database cannot be written: %v.", doctor.Cause(err)), "Give the file to the user of the server, with mode 0600.")
	} else {
		_ = file.Close()
	}
	if stat, err := os.Stat(path + "-wal"); err == nil && stat.Size() > largeLog {
		r.Warn(path+"-wal", fmt.Sprintf("The write-ahead log has %s, because a program has been reading the database for a long time.", doctor.FormatBytes(stat.Size())), "End other programs that have the database open, such as a backup or a database browser.")
	}
	limited, cancel := context.WithTimeout(ctx, quickCheckLimit)
	defer cancel()
	problems, err := store.QuickCheck(limited)
	switch {
	case limited.Err() != nil:
		r.Warn(where, fmt.Sprintf("The database is so large that its check did not end within %s.", quickCheckLimit), "Run intray verify, which checks the whole database.")
	case err != nil:
		d.explainOpenError(r, where, err)
	case len(problems) > 0:
		r.Fail(where, "The database is damaged: "+problems[0]+".", "Stop the server, keep a copy of the data folder, and restore the database and the files from the same backup.")
	}
}

func (d *diagnosis) checkPostgres(ctx context.Context, r *doctor.Result, where string, store *sqlstore.Store) {
	state, err := store.InspectPostgres(ctx, d.databaseConfig())
	if err != nil {
		d.explainOpenError(r, where, err)
		return
	}
	r.Detail += fmt.Sprintf(", PostgreSQL %d, role %s", state.Version/10000, state.Role)
	if state.Version < testedPostgres {
		r.Warn(where, fmt.Sprintf("PostgreSQL has version %d, with which Intray is not tested.", state.Version/10000), fmt.Sprintf("Upgrade to PostgreSQL %d or later.", testedPostgres/10000))
	}
	if !state.Encrypted && !state.Local {
		r.Warn(where, "The connection to PostgreSQL is not encrypted, so others in its network can read passwords and data.", "Enable TLS in PostgreSQL and set sslmode=verify-full in --database-url, unless you trust the network.")
	}
	switch {
	case state.Standby:
		r.Fail(where, "The PostgreSQL server is a standby, which is read-only.", "Set --database-url to the primary server, or list all hosts and set target_session_attrs=read-write.")
	case state.ReadOnly:
		r.Fail(where, "Transactions in the database are read-only.", "Run ALTER DATABASE … RESET default_transaction_read_only, and check the same setting of the role and of the server.")
	case d.version < d.supported && !state.CanCreate:
		r.Fail(where, fmt.Sprintf("The role %s cannot create tables in the database.", state.Role), fmt.Sprintf("Make the role the owner of the database: ALTER DATABASE … OWNER TO %s", state.Role))
	}
	if isolated, err := store.IsIsolated(ctx); err == nil && !isolated {
		r.Warn(where, fmt.Sprintf("PostgreSQL does not isolate organizations, because the role %s is a superuser or has BYPASSRLS.", state.Role), "Connect as a role that has neither attribute and owns the database.")
	}
	for _, setting := range []struct{ name, value string }{{"fsync", state.Fsync}, {"full_page_writes", state.FullPages}, {"synchronous_commit", state.SynchronousCommit}} {
		if setting.value == "off" {
			r.Warn(where, "The PostgreSQL setting "+setting.name+" is off, so a crash can lose imports that Intray has confirmed.", "Set "+setting.name+" = on in postgresql.conf, and check ALTER DATABASE and ALTER ROLE for the same setting.")
		}
	}
	if state.Ahead.Abs() > doctor.MaxSkew {
		r.Warn(where, fmt.Sprintf("The clock of PostgreSQL is %s the clock of this machine.", doctor.ClockText(state.Ahead)), "Synchronize the clocks of both machines with NTP.")
	}
	d.checkConnections(ctx, r, where, store, state)
}

// checkConnections checks that all processes can open their connections.
func (d *diagnosis) checkConnections(ctx context.Context, r *doctor.Result, where string, store *sqlstore.Store, state sqlstore.PostgresState) {
	processes := 0
	if d.version > 0 {
		live, _, err := d.nodes(ctx, store)
		if err != nil {
			d.explainOpenError(r, where, err)
			return
		}
		processes = len(live)
	}
	if !d.isRunning() {
		processes++ // this one, once it runs
	}
	if needed := processes * state.PoolSize; needed > state.MaxConnections {
		r.Warn(where, fmt.Sprintf("PostgreSQL accepts %d connections, but %d processes with up to %d each can need %d.", state.MaxConnections, processes, state.PoolSize, needed), "Increase max_connections in PostgreSQL, or set a lower pool_max_conns in --database-url.")
	}
}

// checkFiles checks the store of files.
func (d *diagnosis) checkFiles(ctx context.Context, r *doctor.Result) {
	if d.cfg.checkStore() != nil {
		r.Skip(skippedInvalid)
		return
	}
	if d.cfg.BlobURL == "" && d.folderFails() {
		r.Skip(skippedFolder)
		return
	}
	where, blobs := d.cfg.blobDir(), blob.Store(nil)
	if d.cfg.BlobURL != "" {
		where = doctor.Setting("blob-url") + ": " + d.cfg.BlobURL
		blobs = d.checkBucket(ctx, r, where)
	} else {
		blobs = d.checkBlobFolder(ctx, r, where)
	}
	if blobs == nil {
		return
	}
	store, err := d.open(ctx)
	switch {
	case errors.Is(err, errNoDatabase):
		return
	case err != nil:
		skipWithoutDatabase(r, "")
		return
	case d.version == 0:
		err = checkUnused(ctx, blobs)
	default:
		err = retention.CheckFingerprint(ctx, store, blobs)
	}
	if err == nil || errors.Is(err, retention.ErrNoFingerprint) { // no server has stored files
		return
	}
	problem, fix := splitAdvice(d.cfg.explainFingerprint(err).Error(), "Repair the problems of the database and of the files, and run intray doctor again.")
	r.Fail(where, problem, fix)
}

// checkUnused returns an error if the files belong to a database.
func checkUnused(ctx context.Context, blobs blob.Store) error {
	found, err := blobs.Open(ctx, model.FingerprintKey)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	_ = found.Close()
	return retention.ErrOtherStore
}

// checkBlobFolder checks the folder of the files, and returns it unless it does not exist.
func (d *diagnosis) checkBlobFolder(ctx context.Context, r *doctor.Result, where string) blob.Store {
	folder := d.cfg.blobDir()
	r.Detail = folder
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if d.hasFiles(ctx) {
			r.Fail(where, "The folder with the files of this database is missing.", "Restore it and the database from the same backup, or mount it.")
			return nil
		}
		r.Detail += " will be created"
		return nil
	}
	doctor.CheckWritable(r, where, folder)
	store, err := disk.OpenToRead(folder)
	if err != nil {
		if r.Status == doctor.OK {
			r.Fail(where, fmt.Sprintf("The folder of the files cannot be read: %v.", doctor.Cause(err)), "Run intray doctor as the user of the server, or give the folder to this user.")
		}
		return nil
	}
	return store
}

// hasFiles reports whether a server has stored files for the database.
func (d *diagnosis) hasFiles(ctx context.Context) bool {
	store, err := d.open(ctx)
	if err != nil || d.version == 0 {
		return false // the check of the database reports it
	}
	mark, err := model.View(ctx, store, func(tx model.Tx) (string, error) { return tx.Nodes.EnsureMark(ctx, model.FingerprintKey, "") })
	return err == nil && mark != ""
}

// checkBucket checks the bucket, and returns it if its objects can be read.
func (d *diagnosis) checkBucket(ctx context.Context, r *doctor.Result, where string) blob.Store {
	store, err := s3.Open(ctx, d.cfg.BlobURL, s3.Config{KeepUploads: true, Attempts: 2})
	if err != nil {
		problem, fix := splitAdvice(err.Error(), "Check the variables with AWS_ in their name.")
		r.Fail(where, problem, fix)
		return nil
	}
	probe, err := store.Probe(ctx)
	r.Detail = d.cfg.BlobURL + " at " + probe.Endpoint
	if probe.Left != "" {
		r.Warn(where, "The test object "+probe.Left+" could not be deleted.", "Delete the object.")
	}
	if probe.Clock && probe.Ahead.Abs() > doctor.MaxSkew {
		r.Warn(where, fmt.Sprintf("The clock of the store is %s the clock of this machine. S3 refuses requests if the difference exceeds 15 minutes.", doctor.ClockText(probe.Ahead)), "Synchronize the clocks with NTP.")
	}
	var failed *s3.ProbeError
	if errors.As(err, &failed) {
		problem, fix := bucketAdvice(failed)
		r.Fail(where, problem, fix)
		return nil
	}
	if !probe.Conditional {
		r.Fail(where, "The store does not support conditional writes (If-None-Match), so processes can overwrite each other's files.", "Use a store that supports them, or a newer version of this store.")
	}
	return store
}

// bucketAdvice returns what is wrong with a bucket and what to do about it.
func bucketAdvice(err *s3.ProbeError) (problem, fix string) {
	problem, fix = splitAdvice(err.Error(), "Check AWS_ENDPOINT_URL_S3 and AWS_REGION, and that the store works.")
	switch err.Code {
	case "AccessDenied":
		return fmt.Sprintf("The credentials do not allow Intray to %s objects in the bucket.", err.Action), "Grant the permission " + err.Permission + " for the bucket and the prefix to these credentials."
	case "NoSuchBucket":
		return problem, "Create the bucket, or correct --blob-url."
	case "RequestTimeTooSkewed":
		return "The store refuses requests, because its clock and the clock of this machine differ too much.", "Synchronize the clock of this machine with NTP."
	}
	return problem, fix
}
