package service_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/service"
)

// TestTempDir checks that a review creates its temporary files in the configured folder.
func TestTempDir(t *testing.T) {
	folder := t.TempDir()
	f := newFixture(t, func(_ *fixture, cfg *service.Config) { cfg.TempDir = folder })
	file := "email\n" + strings.Repeat("anna@example.org\nben@example\n", 10*intray.BatchRows)
	imp := f.finishedImport(file, blocking)
	err := f.WithRows(f.ctx, imp, func(d *draft.Draft) error {
		_, err := d.Window(f.ctx, draft.Query{Sort: &draft.Sort{Field: 0}}, 0, 10)
		open := openFiles(t)
		if !strings.Contains(open, folder+"/intray-rows-") || strings.Contains(open, filepath.Join(os.TempDir(), "intray-rows-")) {
			t.Errorf("the open files are\n%s", open)
		}
		return err
	})
	must(t, err)
}

// openFiles returns the names of the files that this process has open.
func openFiles(t *testing.T) string {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	must(t, err)
	var names []string
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil {
			names = append(names, name)
		}
	}
	return strings.Join(names, "\n")
}
