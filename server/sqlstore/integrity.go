package sqlstore

import (
	"context"
	"fmt"
)

// CheckIntegrity searches an SQLite database for damaged pages, indexes that do not match their tables,
// and references to missing rows. It returns a text for each problem, at most 100 of each kind. It reads
// the whole database. On PostgreSQL, it returns nothing: use pg_amcheck.
func (s *Store) CheckIntegrity(ctx context.Context) ([]string, error) {
	if s.writer == nil {
		return nil, nil
	}
	problems, err := s.queryTexts(ctx, `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`)
	if err != nil {
		return problems, err
	}
	missing, err := s.queryTexts(ctx, `
		SELECT DISTINCT 'a row in ' || "table" || ' refers to a missing row in ' || parent FROM pragma_foreign_key_check LIMIT 100`)
	return append(problems, missing...), err
}

// queryTexts returns the texts in the only column of a query.
func (s *Store) queryTexts(ctx context.Context, query string) (texts []string, err error) {
	rows, err := s.read.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("check the database: %w", translate(err))
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return texts, fmt.Errorf("check the database: %w", translate(err))
		}
		texts = append(texts, text)
	}
	return texts, translate(rows.Err())
}
