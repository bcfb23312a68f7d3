package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckCommit checks that a program without its commit is refused, such as one from a folder that git
// worktree created.
func TestCheckCommit(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "clone")
	writeFile(t, filepath.Join(folder, "go.mod"), "module example.org/x\n\ngo 1.26\n")
	writeFile(t, filepath.Join(folder, "main.go"), "package main\n\nfunc main() {}\n")
	run := func(args ...string) string {
		t.Helper()
		out, err := git(folder, append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	run("init", "--quiet")
	run("add", ".")
	run("commit", "--quiet", "--message", "first")
	src := source{commit: run("rev-parse", "HEAD")}
	worktree := filepath.Join(t.TempDir(), "worktree")
	run("worktree", "add", "--quiet", worktree)
	check := func(folder string) error {
		t.Helper()
		program := filepath.Join(t.TempDir(), "program")
		if err := goCommand(folder, []string{"GOFLAGS=", "GOWORK=off"}, "build", "-buildvcs=true", "-o", program, "."); err != nil {
			t.Fatal(err)
		}
		return checkCommit(src, program)
	}
	if err := check(folder); err != nil {
		t.Error(err)
	}
	if err := check(worktree); err == nil || !strings.Contains(err.Error(), "git worktree") {
		t.Errorf("in a worktree: %v", err)
	}
	writeFile(t, filepath.Join(folder, "main.go"), "package main\n\nfunc main() { println() }\n")
	if err := check(folder); err == nil || !strings.Contains(err.Error(), "modified: true") {
		t.Errorf("with changes: %v", err)
	}
}
