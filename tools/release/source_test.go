package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadSource(t *testing.T) {
	folder := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		if _, err := git(folder, args...); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_COMMITTER_DATE", "2026-11-28T04:19:37+05:30")
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+role+"_NAME", "Ada")
		t.Setenv("GIT_"+role+"_EMAIL", "ada@example.org")
	}
	run("init", "--quiet")
	writeFile(t, filepath.Join(folder, "README.md"), "readme\n")
	run("add", "README.md")
	run("commit", "--quiet", "-m", "first")

	src, err := readSource(folder)
	if err != nil {
		t.Fatal(err)
	}
	if want := "0.0.0-20261127224937-" + src.commit[:12]; src.version != want {
		t.Errorf("the version is %q, want %q", src.version, want)
	}
	run("tag", "v1.2.3")
	if src, err = readSource(folder); err != nil || src.version != "1.2.3" || !src.date.Equal(time.Date(2026, 11, 27, 22, 49, 37, 0, time.UTC)) {
		t.Errorf("got %+v, %v", src, err)
	}
	writeFile(t, filepath.Join(folder, "new.go"), "package main\n")
	if _, err := readSource(folder); err == nil || !strings.Contains(err.Error(), "new.go") {
		t.Errorf("got %v, want an error about new.go", err)
	}
}
