package main

import (
	"crypto/x509"
	"testing"
)

// TestEmbeddedRoots checks that the program contains CA certificates. The only sign of this is
// that they cannot be set a second time.
func TestEmbeddedRoots(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the program contains no CA certificates")
		}
	}()
	x509.SetFallbackRoots(x509.NewCertPool())
}
