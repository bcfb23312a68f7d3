package server

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/intraydata/intray/hooks/sandbox"
)

// TestFindingI1LogOfSandbox checks that the log names a missing feature as required or optional,
// and does not claim that namespaces are missing before a worker has started.
func TestFindingI1LogOfSandbox(t *testing.T) {
	whole := sandbox.Capabilities{System: "linux", Processor: "amd64", NoNewPrivs: true, Seccomp: true, Landlock: 3, Users: true, Cgroup: "v2"}
	weak, plain := whole, whole
	weak.Seccomp = false
	plain.Users, plain.Cgroup = false, ""
	const refused, incomplete, optional = "hooks refused", "hooks run in an incomplete sandbox", "without optional features"
	for name, c := range map[string]struct {
		has  sandbox.Capabilities
		mode sandbox.Mode
		want string
	}{
		"whole":             {whole, sandbox.Strict, ""},
		"weak, strict":      {weak, sandbox.Strict, refused},
		"weak, best effort": {weak, sandbox.BestEffort, incomplete},
		"plain":             {plain, sandbox.Strict, optional},
	} {
		var log bytes.Buffer
		logMissing(slog.New(slog.NewTextHandler(&log, nil)), c.has, c.mode)
		for _, text := range []string{refused, incomplete, optional} {
			if strings.Contains(log.String(), text) != (text == c.want) {
				t.Errorf("%s: the log is %q, want only %q", name, &log, c.want)
			}
		}
		if strings.Contains(log.String(), "namespace") || strings.Contains(log.String(), "level=WARN") != (len(c.has.MissingRequired()) > 0) {
			t.Errorf("%s: the log is %q", name, &log)
		}
	}
}
