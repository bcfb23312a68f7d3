package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errTest = errors.New("the disk is full")

func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "out.json")
	for _, text := range []string{"first", "second, longer"} {
		must(t, WriteFile(name, nil, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
		if got := content(t, name); got != text {
			t.Errorf("the file holds %q, want %q", got, text)
		}
	}
	err := WriteFile(name, nil, func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("x", 2<<20)) // more than any buffer
		return errTest
	})
	if !errors.Is(err, errTest) || content(t, name) != "second, longer" {
		t.Errorf("error %v; the file holds %.20q, want the earlier content", err, content(t, name))
	}
	entries, err := os.ReadDir(folder)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("files are left: %v", entries)
	}
	if err := WriteFile(filepath.Join(folder, "no", "out.json"), nil, nil); err == nil {
		t.Error("a write to a missing folder succeeded")
	}
}

func TestModeOfWrittenFiles(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "as-any-file")
	must(t, os.WriteFile(plain, nil, 0o666))
	stat, err := os.Stat(plain)
	must(t, err)
	for before, want := range map[os.FileMode]os.FileMode{0: stat.Mode(), 0o600: 0o600, 0o664: 0o664} {
		name := filepath.Join(folder, fmt.Sprintf("out-%o", before))
		if before != 0 {
			must(t, os.WriteFile(name, nil, before))
			must(t, os.Chmod(name, before))
		}
		must(t, WriteFile(name, nil, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }))
		stat, err := os.Stat(name)
		must(t, err)
		if stat.Mode() != want || content(t, name) != "text" {
			t.Errorf("a file that had the mode %v has now %v and %q, want %v", before, stat.Mode(), content(t, name), want)
		}
	}
	var usage UsageError
	if err := WriteFile(folder, nil, nil); !errors.As(err, &usage) {
		t.Errorf("a file replaced a folder: error %v", err)
	}
}

func TestWriteToStdout(t *testing.T) {
	var out bytes.Buffer
	must(t, WriteFile("-", &out, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }))
	if out.String() != "text" {
		t.Errorf("stdout has %q", out.String())
	}
	if err := WriteFile("-", &out, func(io.Writer) error { return errTest }); !errors.Is(err, errTest) {
		t.Errorf("error %v", err)
	}
}

func content(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenInput(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "list.csv")
	must(t, os.WriteFile(name, []byte("a,b\n"), 0o600))
	in, closeIn, err := OpenInput(name)
	must(t, err)
	if in.Name != "list.csv" || in.Size != 4 {
		t.Errorf("opened %q of %d bytes", in.Name, in.Size)
	}
	must(t, closeIn())
	for _, wrong := range []string{folder, filepath.Join(folder, "missing.csv")} {
		var usage UsageError
		if _, _, err := OpenInput(wrong); !errors.As(err, &usage) {
			t.Errorf("%s got error %v, want a UsageError", wrong, err)
		}
	}
}

// TestEndedNode checks that a lock names the process that last held it, but that a copy of the file
// does not.
func TestEndedNode(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	check := func(folder, want string) *folderLock {
		t.Helper()
		lock, err := lockFolder(folder)
		must(t, err)
		if got := lock.endedNode(); got != want {
			t.Errorf("the last process was %q, want %q", got, want)
		}
		return lock
	}
	lock := check(folder, "")
	if fileIdentity(lock.file) == "" {
		t.Skip("SKIPPED: files have no identity on this system, so a process waits until the previous one is silent")
	}
	lock.setNode("folder/a-long-name")
	must(t, os.WriteFile(filepath.Join(other, "serve.lock"), []byte(content(t, filepath.Join(folder, "serve.lock"))), 0o600))
	must(t, lock.unlock())
	must(t, check(other, "").unlock())
	lock = check(folder, "folder/a-long-name")
	lock.setNode("folder/two")
	must(t, lock.unlock())
	must(t, check(folder, "folder/two").unlock())
}

func TestOneProcessServesAFolder(t *testing.T) {
	folder := t.TempDir()
	lock, err := lockFolder(folder)
	must(t, err)
	if _, err := lockFolder(folder); err == nil || !strings.Contains(err.Error(), "another intray serves from "+folder) {
		t.Errorf("error %v, want that another process serves", err)
	}
	must(t, lock.unlock())
	lock, err = lockFolder(folder)
	must(t, err)
	must(t, lock.unlock())
}

func TestNodeName(t *testing.T) {
	folder := t.TempDir()
	first, err := nodeName(folder)
	must(t, err)
	second, err := nodeName(folder)
	must(t, err)
	before, own, _ := strings.Cut(first, "/")
	after, other, _ := strings.Cut(second, "/")
	if before != after || own == other || len(before) != 16 || len(own) != 16 {
		t.Errorf("the names %q and %q, want one folder and two processes", first, second)
	}
	elsewhere, err := nodeName(t.TempDir())
	must(t, err)
	if strings.HasPrefix(elsewhere, before) {
		t.Errorf("two folders have the name %q", before)
	}
}
