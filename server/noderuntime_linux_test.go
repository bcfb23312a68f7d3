package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray"
)

// TestUnusableNode checks that a server does not start without a usable Node, and that schema checks
// and imports report the reason if Node becomes unusable later.
func TestUnusableNode(t *testing.T) {
	for script, want := range map[string]string{
		"":                                     "Node isn't installed",
		"echo v18.19.0":                        "Node 18 is too old",
		"exit 1":                               "Node doesn't start",
		"echo bash: no node":                   "Node doesn't start",
		`[ "$1" = --version ] && echo v20.1.0`: "Node doesn't start", // only --version works
	} {
		t.Run(script, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("PATH", folder)
			if script != "" {
				must(t, os.WriteFile(filepath.Join(folder, "node"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
			}
			check := func(what string, err error) {
				t.Helper()
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v, want %q", what, err, want)
				}
			}
			h := &hookRunner{cfg: HookConfig{Runtime: "node", Sandbox: "best-effort"}}
			defer h.close()
			hooks := intray.Hooks{Row: []string{"record => record"}}
			warning, err := h.checkHooks(t.Context(), hooks)
			must(t, err)
			check("a schema check", errors.New(warning.String()))
			_, err = h.open(t.Context(), hooks, intray.HookEnv{})
			var failed *intray.HookError
			if !errors.As(err, &failed) {
				t.Errorf("an import fails with %v, which is not an error of its hooks", err)
			}
			check("an import", err)
			if !strings.Contains(script, "--version") {
				cfg := good()
				cfg.Data, cfg.Hooks.Runtime, cfg.Log = filepath.Join(t.TempDir(), "data"), "node", slog.New(slog.DiscardHandler)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				cfg.Serving = func(string) { cancel() }
				err := Serve(ctx, cfg)
				check("serve", err)
				if !errors.As(err, &UsageError{}) {
					t.Errorf("serve: error %v is not a UsageError", err)
				}
			}
		})
	}
}
