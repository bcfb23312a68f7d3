package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestInterrupted ends each command before it begins, as Ctrl-C may.
func TestInterrupted(t *testing.T) {
	folder := t.TempDir()
	file, schema := filepath.Join(folder, "people.csv"), filepath.Join(folder, "schema.json")
	for name, text := range map[string]string{
		file: "email\nada@example.org\n", schema: `{"fields":[{"key":"email","label":"E-Mail","type":"email"}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"run", file, "--schema", schema, "--out", filepath.Join(folder, "out.json")},
		{"inspect", file},
		{"convert", file, filepath.Join(folder, "out.csv")},
		{"keys", "list", "--data", filepath.Join(folder, "data")},
	} {
		var out, told bytes.Buffer
		if status := run(ctx, args, streams{nil, &out, &told}); status != exitInterrupted {
			t.Errorf("%s: exit status %d, want %d", args[0], status, exitInterrupted)
		}
		if told.String() != "intray: interrupted\n" || out.Len() > 0 {
			t.Errorf("%s: told %q and wrote %q", args[0], told.String(), out.String())
		}
	}
	if made, _ := filepath.Glob(filepath.Join(folder, "*out*")); len(made) > 0 {
		t.Errorf("files were made: %v", made)
	}
	var told bytes.Buffer
	if status := run(ctx, []string{"run", "missing.csv", "--schema", schema}, streams{nil, nil, &told}); status != exitUsage || !strings.Contains(told.String(), "missing.csv") {
		t.Errorf("a fault of its own: exit status %d, told %q", status, told.String())
	}
}

func TestBoundMemory(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	boundMemory()
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit is %d although GOMEMLIMIT is set", got)
	}
	t.Setenv("GOMEMLIMIT", "")
	boundMemory()
	if got := debug.SetMemoryLimit(-1); got != softMemory {
		t.Errorf("the limit is %d, want %d", got, softMemory)
	}
}
