package httpapi

import (
	"testing"
)

func TestBearer(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer x": "x", "bearer x": "x", "BEARER  x ": "x", "x": "", "Bearer": "", "Bearer ": "", "Basic x": "", "": "", "Bearerx": "",
	} {
		if got, err := bearerToken(header); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, error %v; want %q", header, got, err, want)
		}
	}
}
