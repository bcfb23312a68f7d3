package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/intraydata/intray/internal/queue"
)

// openPostgres opens one pool, which the queue uses too.
func (s *Store) openPostgres(ctx context.Context, cfg Config) error {
	config, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		// The error repeats the address, and with it the password.
		return errors.New("the address of the database is not valid: it should look like postgres://user:password@host:5432/name")
	}
	if !strings.Contains(cfg.URL, "pool_max_conns") {
		config.MaxConns = 16
	}
	// The queue listens on one connection, migrations hold up to three.
	config.MaxConns = max(config.MaxConns, 4)
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, 5*time.Second)
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = cmp.Or(params["application_name"], "intray")

	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	s.closers = append(s.closers, db.Close, func() error { pool.Close(); return nil })
	s.write, s.read, s.dialect = db, db, postgresDialect()
	s.jobs, err = queue.Postgres(pool, cfg.Queue)
	return err
}
