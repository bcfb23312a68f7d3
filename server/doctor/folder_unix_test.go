//go:build !windows

package doctor

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestExplainWriteError checks the advice for a folder in which this user cannot write.
func TestExplainWriteError(t *testing.T) {
	own, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := "/"
	if os.Geteuid() == 0 {
		folder = t.TempDir()
		if err := os.Chown(folder, 64900, 64900); err != nil {
			t.Fatal(err)
		}
	}
	other, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		err          error
		stat         os.FileInfo
		container    bool
		problem, fix string
	}{
		"own folder":              {syscall.EACCES, own, false, "because of its mode", "chmod u+rwx /data"},
		"own folder, container":   {syscall.EACCES, own, true, "because of its mode", "chmod u+rwx /data"},
		"other folder":            {syscall.EACCES, other, false, "which belongs to user", "sudo chown -R "},
		"other folder, container": {syscall.EACCES, other, true, "which belongs to user", "On the host, find the folder or volume that is mounted at /data"},
		"full disk":               {syscall.ENOSPC, own, true, "The disk is full", "Free or add space"},
		"read-only":               {syscall.EROFS, own, true, "read-only", "Mount it for writing"},
		"broken disk":             {syscall.EIO, own, true, "input/output error", "Repair the disk"},
	} {
		problem, fix := explainWriteError(c.err, "/data", c.stat, c.container)
		if !strings.Contains(problem, c.problem) || !strings.Contains(fix, c.fix) {
			t.Errorf("%s: %s %s", name, problem, fix)
		}
	}
}

// TestLocalBaseURL checks that a container, which cannot reach the localhost of its host, does not warn
// about it, and that others do.
func TestLocalBaseURL(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	for _, c := range []struct {
		base      string
		container bool
		warns     bool
	}{
		{"https://localhost:" + port, true, false},
		{"http://127.0.0.1:" + port, true, false},
		{"https://localhost:" + port, false, true},
		{"https://intray.invalid", true, true},
	} {
		r := Result{Status: OK}
		checkBaseURL(t.Context(), &r, c.base, true, c.container)
		if (len(r.Findings) > 0) != c.warns || !c.warns && !strings.Contains(r.Detail, "only clients on the host") {
			t.Errorf("%s, container %v: %+v", c.base, c.container, r)
		}
	}
}
