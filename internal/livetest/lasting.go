package livetest

import (
	"os"
	"sync"
	"testing"
)

// Lasting gives a test under which things live as long as all tests of a
// package: its cleanups and its folders wait for Clean. What it is given to
// must not use it after the test has ended, but in such a cleanup.
func Lasting(t testing.TB) testing.TB { return lasting{t} }

type lasting struct{ testing.TB }

// ends is what Clean does, the latest first.
var ends struct {
	sync.Mutex
	list []func()
}

func (lasting) Cleanup(end func()) {
	ends.Lock()
	defer ends.Unlock()
	ends.list = append([]func(){end}, ends.list...)
}

func (l lasting) TempDir() string {
	l.Helper()
	folder, err := os.MkdirTemp("", "intray-live-*")
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// Clean removes what Build made and what Lasting kept. TestMain calls it after
// the last test.
func Clean() {
	ends.Lock()
	list := ends.list
	ends.list = nil
	ends.Unlock()
	for _, end := range list {
		end()
	}
	builds.Lock()
	defer builds.Unlock()
	if builds.folder != "" {
		_ = os.RemoveAll(builds.folder)
	}
}
