package sqlstore

import "context"

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
