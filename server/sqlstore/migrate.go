package sqlstore

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/intraydata/intray/server/model"
)

//go:embed migrations/*.sql
var migrations embed.FS

// The triggers that maintain the tables org_usage, upload_days and memory_versions, for each kind of
// database. They are part of migrations, so they never change.
var (
	//go:embed triggers/sqlite.sql
	sqliteTriggers string
	//go:embed triggers/postgres.sql
	postgresTriggers string
	//go:embed triggers/growth_sqlite.sql
	sqliteGrowthTriggers string
	//go:embed triggers/growth_postgres.sql
	postgresGrowthTriggers string
	//go:embed triggers/mappings_sqlite.sql
	sqliteMappingTriggers string
	//go:embed triggers/mappings_postgres.sql
	postgresMappingTriggers string
)

// postgresLockTables waits until no process of the previous version is changing rows, and keeps all
// of them from doing so until the migration has been committed. Otherwise, rows that they add could
// be neither counted by the migration nor by its triggers, and both could wait for each other after
// the migration has read millions of rows.
const postgresLockTables = `LOCK TABLE imports, uploads, deliveries, memories, receipts, org_usage IN ACCESS EXCLUSIVE MODE;`

// postgresIsolation creates the policies of row-level security. It never changes either.
//
//go:embed triggers/isolation_postgres.sql
var postgresIsolation string

// migrate updates the tables of the store and of the queue to the current version.
func (s *Store) migrate(ctx context.Context) (err error) {
	ctx = model.AcrossOrgs(ctx) // migrations may change the rows of all organizations
	if s.dialect.sessionLock == "" {
		return s.migrateLocked(ctx)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, s.dialect.sessionLock, lockMigrate); err != nil {
		return fmt.Errorf("wait for other migrations: %w", err)
	}
	defer func() {
		// If unlocking fails, the connection is broken, which releases the lock.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), s.dialect.sessionUnlock, lockMigrate)
	}()
	return s.migrateLocked(ctx)
}

func (s *Store) migrateLocked(ctx context.Context) error {
	p, err := s.migrations()
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the database: %w", err)
	}
	if has > knows {
		return fmt.Errorf("the database has version %d, but this program supports at most version %d; use the newer program", has, knows)
	}
	_, err = p.Up(ctx)
	for tries := 1; isSerializationFailure(err) && tries < maxUndone; tries++ { // a deadlock with a process of the previous version
		_, err = p.Up(ctx)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return s.jobs.Migrate(ctx)
}

func (s *Store) migrations() (*goose.Provider, error) {
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(s.dialect.goose, s.write, substitutedFS{steps, s.dialect.substitutions}, goose.WithDisableGlobalRegistry(true))
}

// substitutedFS is a file system that replaces words in its files.
type substitutedFS struct {
	fs.FS
	words *strings.Replacer
}

// Open opens a file in which the words are replaced.
func (w substitutedFS) Open(name string) (fs.File, error) {
	f, err := w.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if at, err := f.Stat(); err != nil || at.IsDir() {
		return f, err
	}
	text, err := fs.ReadFile(w.FS, name)
	if err != nil {
		return nil, err
	}
	return substitutedFile{f, bytes.NewReader([]byte(w.words.Replace(string(text))))}, nil
}

type substitutedFile struct {
	fs.File
	text *bytes.Reader
}

func (f substitutedFile) Read(p []byte) (int, error) { return f.text.Read(p) }
