//go:build !crashpoints

package server

// crashPoint returns nil, because only builds with the tag crashpoints simulate crashes.
func crashPoint() func(string) { return nil }
