package server

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestFindingReliability3Reserve checks that disk space is reserved, released and reserved again,
// and that a start on a full disk releases it.
func TestFindingReliability3Reserve(t *testing.T) {
	folder, log := t.TempDir(), slog.New(slog.DiscardHandler)
	const size = 100_000
	wantSize := func(want int64) {
		t.Helper()
		stat, err := os.Stat(filepath.Join(folder, "reserve"))
		switch {
		case want == 0:
			if !os.IsNotExist(err) {
				t.Errorf("the released reserve: %v", err)
			}
		case err != nil || stat.Size() != want:
			t.Errorf("the reserve: %v, %v; want %d bytes", stat, err, want)
		}
		left, err := filepath.Glob(filepath.Join(folder, "reserve.*"))
		if err != nil || len(left) > 0 {
			t.Errorf("temporary files %q, %v", left, err)
		}
	}
	r := openReserve(folder, size, log)
	wantSize(size)
	content, err := os.ReadFile(filepath.Join(folder, "reserve"))
	must(t, err)
	if zeros := bytes.Count(content, []byte{0}); zeros > size/100 {
		t.Errorf("%d of %d bytes are 0; some file systems store zeros without occupying space", zeros, size)
	}
	if !r.Held() || !r.Release() || r.Held() || r.Release() {
		t.Error("the reserve was not released exactly once")
	}
	wantSize(0)
	r.Refill()
	wantSize(size)
	if r = openReserve(folder, size, log); !r.Held() {
		t.Error("the reserve of the earlier process is not held")
	}
	wantSize(size)
	if runtime.GOOS != "linux" {
		return
	}
	// Every write to /dev/full fails because the disk is full.
	fullDisk := func() { must(t, os.Symlink("/dev/full", filepath.Join(folder, "reserve.tmp"))) }
	fullDisk()
	r = openReserve(folder, size, log)
	wantSize(0)
	fullDisk()
	if r.Refill(); r.Held() {
		t.Error("the reserve is held although the disk is full")
	}
	wantSize(0)
	r.size = 1 << 60 // more than there is
	if r.Refill(); r.Held() {
		t.Error("a reserve that is larger than the disk is held")
	}
	if _, err := os.Stat(filepath.Join(folder, "reserve.tmp")); !os.IsNotExist(err) {
		t.Errorf("the reserve was written although there is too little space: %v", err)
	}
}

// TestReserveOfMissingFolder checks that a folder that cannot be written does not prevent a start.
func TestReserveOfMissingFolder(t *testing.T) {
	r := openReserve(filepath.Join(t.TempDir(), "missing"), 1, slog.New(slog.DiscardHandler))
	if _, err := os.Stat(r.path); r.Held() || r.Release() || !os.IsNotExist(err) {
		t.Errorf("the reserve of a missing folder is held; %v", err)
	}
}
