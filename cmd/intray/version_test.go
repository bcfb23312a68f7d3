package main

import (
	"bytes"
	"testing"
)

func TestVersionText(t *testing.T) {
	for want, r := range map[string]versionReport{
		"intray 1.2.3\ngo        go1.26.8\nplatform  linux/arm64\n": {Version: "1.2.3", Go: "go1.26.8", Platform: "linux/arm64"},
		"intray 1.2.3\ncommit    0123abc of 2026-11-21T10:00:00Z, with changes\ngo        go1.26.8\nplatform  linux/arm64\n": {
			Version: "1.2.3", Commit: "0123abc", Date: "2026-11-21T10:00:00Z", Modified: true, Go: "go1.26.8", Platform: "linux/arm64",
		},
	} {
		var out bytes.Buffer
		if err := r.writeText(&out); err != nil || out.String() != want {
			t.Errorf("%q, error %v; want %q", out.String(), err, want)
		}
	}
}
