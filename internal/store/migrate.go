package store

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables of the store and of the queue up to date.
func (s *Store) migrate(ctx context.Context) (err error) {
	if s.dialect.alone == "" {
		return s.migrateAlone(ctx)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, s.dialect.alone, lockMigrate); err != nil {
		return fmt.Errorf("waiting for others to migrate: %w", err)
	}
	defer func() {
		// Should this fail, the connection is broken and the lock gone.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), s.dialect.notAlone, lockMigrate)
	}()
	return s.migrateAlone(ctx)
}

func (s *Store) migrateAlone(ctx context.Context) error {
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(s.dialect.goose, s.write, worded{steps, s.dialect.words},
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("reading the version of the database: %w", err)
	}
	if has > knows {
		return fmt.Errorf("the database has version %d and this program knows %d at most: use the newer program that wrote it", has, knows)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrating: %w", err)
	}
	return s.jobs.Migrate(ctx)
}

// worded are files with words filled in.
type worded struct {
	fs.FS
	words *strings.Replacer
}

// Open gives a file whose content has the words filled in.
func (w worded) Open(name string) (fs.File, error) {
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
	return filled{f, bytes.NewReader([]byte(w.words.Replace(string(text))))}, nil
}

type filled struct {
	fs.File
	text *bytes.Reader
}

func (f filled) Read(p []byte) (int, error) { return f.text.Read(p) }
