package sqlstore

import (
	"context"
	"strings"

	"github.com/intraydata/intray/server/model"
)

// Pragma returns a setting of the write connection.
func Pragma(ctx context.Context, s *Store, name string) (value string, err error) {
	err = s.write.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	return value, err
}

// TargetsPlan returns the steps of the query plan of SQLite for Outbox.Targets.
func TargetsPlan(ctx context.Context, s *Store) (steps []string, err error) {
	rows, err := s.write.QueryContext(ctx, "EXPLAIN QUERY PLAN "+selectTargets, 0, 1, 1)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, rows.Err()
}

// OverduePlan returns the plan of the search for imports with an expired part. A table so small
// that PostgreSQL would scan it counts as large.
func OverduePlan(ctx context.Context, s *Store, of model.Retention, part model.KeptPart) (string, error) {
	return queryPlan(ctx, s, overdueQuery(of, part), of.Org, of.SchemaID, 0, 9)
}

// MakeDuePlan returns the plan of Outbox.MakeDue, as OverduePlan does.
func MakeDuePlan(ctx context.Context, s *Store) (string, error) {
	return queryPlan(ctx, s, makeDue, 0, "one", 9)
}

// BacklogPlan returns the plan of Usage.Backlog, as OverduePlan does.
func BacklogPlan(ctx context.Context, s *Store) (string, error) {
	return queryPlan(ctx, s, selectBacklog)
}

func queryPlan(ctx context.Context, s *Store, query string, args ...any) (string, error) {
	var plan strings.Builder
	err := s.View(ctx, func(tx model.Tx) error {
		t := tx.Retention.(retentionRows).txn
		plan.Reset()
		explain := "EXPLAIN QUERY PLAN "
		if s.dialect.lock != "" { // PostgreSQL
			explain = "EXPLAIN "
			if _, err := t.exec(ctx, "plan", `SET LOCAL enable_seqscan = off`); err != nil {
				return err
			}
		}
		rows, err := t.QueryContext(ctx, explain+query, args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			names, err := rows.Columns()
			if err != nil {
				return err
			}
			line, ignored := "", any(nil)
			cells := make([]any, len(names))
			for i := range cells {
				cells[i] = &ignored
			}
			cells[len(cells)-1] = &line
			if err := rows.Scan(cells...); err != nil {
				return err
			}
			plan.WriteString(line + "\n")
		}
		return rows.Err()
	})
	return plan.String(), err
}
