package httpapi

import (
	"testing"
)

func TestBearer(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer x": "x", "bearer x": "x", "BEARER  x ": "x", "x": "", "Bearer": "", "Bearer ": "", "Basic x": "", "": "", "Bearerx": "",
	} {
		if got, ok := bearerToken(header); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t; want %q", header, got, ok, want)
		}
	}
}
