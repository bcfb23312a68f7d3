//go:build !crashpoints

package server

// crashPoint returns nil: only builds with the tag crashpoints can crash.
func crashPoint() func(string) { return nil }
