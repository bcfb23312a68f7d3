//go:build !crashpoints

package server

// crashPoint gives nothing to call: only builds for the tests of crashes have
// points to crash at.
func crashPoint() func(string) { return nil }
