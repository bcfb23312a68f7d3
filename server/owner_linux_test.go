package server

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/server/model"
)

// TestRootKeepsOwner checks that files of a service that runs as another user still belong to this
// user after root has used administrative commands, whether they created the store or not.
func TestRootKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can change the owner of files")
	}
	const service = 12_345
	cfg := good()
	cfg.Data, cfg.Log = t.TempDir(), slog.New(slog.DiscardHandler)
	must(t, os.Chown(cfg.Data, service, service))
	checkOwner := func(after string) {
		t.Helper()
		must(t, filepath.WalkDir(cfg.Data, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if stat := info.Sys().(*syscall.Stat_t); stat.Uid != service || stat.Gid != service {
				t.Errorf("after %s, %s belongs to the user %d and the group %d", after, name, stat.Uid, stat.Gid)
			}
			return nil
		}))
	}
	ctx := model.AcrossOrgs(t.Context())
	for _, org := range []string{"first", "second"} { // the first one creates the store
		svc, closeAll, err := OpenAdmin(ctx, cfg)
		must(t, err)
		_, err = svc.CreateOrg(ctx, org)
		must(t, err)
		_, err = svc.CreateKey(ctx, org, model.Backend, time.Hour)
		must(t, err)
		checkOwner("the organization " + org + " was created") // SQLite's other files exist until the store is closed
		must(t, closeAll())
	}
	// The owner of the key counts, even if the folder belongs to another user.
	must(t, os.Chmod(cfg.masterKeyPath(), 0o400))
	must(t, os.Chown(cfg.Data, 0, 0))
	done, err := RotateMaster(ctx, cfg, false)
	must(t, err)
	must(t, os.Chown(cfg.Data, service, service))
	checkOwner("the master key was replaced")
	for _, name := range []string{done.File, done.Former} {
		info, err := os.Stat(name)
		must(t, err)
		if info.Mode().Perm() != 0o400 {
			t.Errorf("%s has the mode %v, want the one of the replaced file", name, info.Mode())
		}
	}
}
