package sqlstore

import "context"

// Pragma returns a setting of the write connection.
func Pragma(ctx context.Context, s *Store, name string) (value string, err error) {
	err = s.write.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	return value, err
}
