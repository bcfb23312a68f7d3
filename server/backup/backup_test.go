package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/intraydata/intray/server/backup"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/secrets"
)

const masterKey = "bWFzdGVyIGtleSBvZiB0aGUgaW5zdGFsbGF0aW9uISE="

// installation is a data folder that tests back up.
type installation struct {
	t testing.TB
	// folder contains the files.
	folder   string
	files    *disk.Store
	database []byte
	keys     secrets.Keyring
	// duringCopy is called while the database is copied. It may be nil.
	duringCopy func()
}

func newInstallation(t testing.TB) *installation {
	t.Helper()
	folder := t.TempDir()
	return &installation{t: t, folder: folder, files: openDisk(t, folder), database: bytes.Repeat([]byte("database "), 400_000), keys: secrets.NewKeyring()}
}

func openDisk(t testing.TB, folder string) *disk.Store {
	t.Helper()
	store, err := disk.Open(folder, disk.Config{})
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	return store
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (i *installation) put(key, text string) {
	i.t.Helper()
	w, err := i.files.Create(i.t.Context(), key)
	must(i.t, err)
	_, err = io.WriteString(w, text)
	must(i.t, errors.Join(err, w.Commit()))
}

func (i *installation) source() backup.Source {
	return backup.Source{
		Files: i.files, Temp: i.t.TempDir(), Key: i.keys.Derive("backup names"), Version: "1.2.3",
		CopyDatabase: func(_ context.Context, path string) (int64, string, error) {
			if i.duringCopy != nil {
				i.duringCopy()
			}
			return 7, masterKey, os.WriteFile(path, i.database, 0o600)
		},
	}
}

// contents returns the text of all blobs.
func contents(t testing.TB, store *disk.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for entry, err := range store.List(t.Context()) {
		must(t, err)
		r, err := store.Open(t.Context(), entry.Key)
		must(t, err)
		text, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
		must(t, errors.Join(err, r.Close()))
		all[entry.Key] = string(text)
	}
	return all
}

// vault is a repository with its keys.
type vault struct {
	t        testing.TB
	folder   string
	store    *disk.Store
	identity *age.X25519Identity
}

func newVault(t testing.TB) *vault {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	must(t, err)
	v := &vault{t: t, folder: t.TempDir(), identity: identity}
	v.store = openDisk(t, v.folder)
	return v
}

func (v *vault) open() *backup.Repository {
	v.t.Helper()
	r, err := backup.Open(v.t.Context(), v.store)
	must(v.t, err)
	return r
}

func (v *vault) options() backup.Options {
	return backup.Options{Recipients: []string{v.identity.Recipient().String()}}
}

func (v *vault) back(i *installation, options backup.Options) backup.Summary {
	v.t.Helper()
	sum, err := v.open().Create(v.t.Context(), i.source(), options)
	must(v.t, err)
	return sum
}

// restored is a restored backup.
type restored struct {
	backup.Manifest
	files    map[string]string
	store    *disk.Store
	database []byte
	opened   bool
}

func (v *vault) restore(number int64, identity age.Identity, skip func(error) error) (r restored, err error) {
	v.t.Helper()
	folder := v.t.TempDir()
	r.store = openDisk(v.t, filepath.Join(folder, "blobs"))
	path := filepath.Join(folder, "database")
	r.Manifest, err = v.open().Restore(v.t.Context(), number, []age.Identity{identity}, backup.Target{
		Accept: func(backup.Manifest) error { return nil },
		Open:   func(backup.Manifest) (backup.Files, error) { r.opened = true; return r.store, nil },
		Skip:   skip, Database: path,
	})
	if err != nil {
		return r, err
	}
	r.files = contents(v.t, r.store)
	r.database, err = os.ReadFile(path)
	must(v.t, err)
	return r, nil
}

func (v *vault) wantRestored(number int64, database []byte, files map[string]string) {
	v.t.Helper()
	r, err := v.restore(number, v.identity, nil)
	must(v.t, err)
	if !maps.Equal(r.files, files) {
		v.t.Errorf("backup %d restores the files %v, want %v", number, slices.Sorted(maps.Keys(r.files)), slices.Sorted(maps.Keys(files)))
	}
	if !bytes.Equal(r.database, database) {
		v.t.Errorf("backup %d restores another database", number)
	}
	if r.MasterKey != masterKey || r.Schema != 7 || r.Version != "1.2.3" || r.Files != int64(len(files)) {
		v.t.Errorf("manifest %+v", r.Manifest)
	}
}

// objectFiles returns the paths of the files of all objects.
func (v *vault) objectFiles() []string {
	v.t.Helper()
	list, err := filepath.Glob(filepath.Join(v.folder, "blobs", "objects+", "*", "*"))
	must(v.t, err)
	return list
}

// TestIncremental checks that a backup stores only what is new, and that each backup can be restored.
func TestIncremental(t *testing.T) {
	i, v := newInstallation(t), newVault(t)
	i.put("imports/a/raw", "first")
	i.put("imports/a/empty", "")
	i.put("imports/b/raw", strings.Repeat("second ", 300_000))
	first, before := contents(t, i.files), i.database
	if sum := v.back(i, v.options()); sum.Number != 1 || sum.Files != 3 || sum.NewObjects < 6 {
		t.Errorf("the first backup: %+v", sum)
	}
	if sum := v.back(i, v.options()); sum.Number != 2 || sum.Files != 3 || sum.NewObjects != 0 {
		t.Errorf("a backup without changes: %+v", sum)
	}
	must(t, i.files.DeleteAll(t.Context(), "imports/a"))
	i.put("imports/c/raw", "third")
	i.put("imports/b/raw", "second again")
	i.database = append(bytes.Clone(before), "new row"...)
	if sum := v.back(i, v.options()); sum.Number != 3 || sum.Files != 2 || sum.NewObjects != 3 {
		t.Errorf("the third backup: %+v, want 2 new files and 1 new part of the database", sum)
	}
	v.wantRestored(1, before, first)
	v.wantRestored(2, before, first)
	v.wantRestored(3, i.database, contents(t, i.files))
	v.wantRestored(0, i.database, contents(t, i.files))

	r, err := v.restore(3, v.identity, nil)
	must(t, err)
	again := &installation{t: t, files: r.store, database: i.database, keys: i.keys}
	if sum := v.back(again, v.options()); sum.NewObjects != 0 {
		t.Errorf("the first backup of the restored data stores %d new objects", sum.NewObjects)
	}
}

// TestConfidential checks that a repository reveals neither keys of files nor contents.
func TestConfidential(t *testing.T) {
	i, v := newInstallation(t), newVault(t)
	i.put("imports/secret-name/raw", strings.Repeat("secret text ", 1000))
	v.back(i, v.options())
	for key, text := range contents(t, v.store) {
		for _, secret := range []string{"secret", masterKey, "database database"} {
			if strings.Contains(key, secret) || strings.Contains(text, secret) {
				t.Errorf("%s contains %q", key, secret)
			}
		}
	}
}

// TestChangesDuringBackup checks that files that appear, grow, shrink or vanish during a backup do no harm,
// and that files are not deleted after the database was copied.
func TestChangesDuringBackup(t *testing.T) {
	i, v := newInstallation(t), newVault(t)
	i.put("imports/a/raw", "first")
	i.put("imports/b/raw", "second")
	growing, err := i.files.Append(t.Context(), "imports/c/raw")
	must(t, err)
	defer func() { must(t, growing.Close()) }()
	_, err = growing.Write([]byte("0123456789"))
	must(t, errors.Join(err, growing.Sync()))
	i.duringCopy = func() {
		i.put("imports/d/raw", "fourth") // the copied database may refer to it
		_, err := growing.Write([]byte("more"))
		must(t, errors.Join(err, growing.Sync()))
		if err := i.files.DeleteAll(t.Context(), "imports/a"); !errors.Is(err, blob.ErrHeld) {
			t.Errorf("deletion during the backup: %v, want ErrHeld", err)
		}
	}
	v.back(i, v.options())
	must(t, i.files.DeleteAll(t.Context(), "imports/a"))
	v.wantRestored(1, i.database, map[string]string{"imports/a/raw": "first", "imports/b/raw": "second", "imports/c/raw": "0123456789more", "imports/d/raw": "fourth"})

	i.duringCopy = func() { must(t, growing.Truncate(3)) }
	v.back(i, v.options())
	r, err := v.restore(2, v.identity, nil)
	must(t, err)
	if got := r.files["imports/c/raw"]; got != "012" {
		t.Errorf("the shortened file is %q", got)
	}
}

// TestInterrupted checks that an interrupted backup does not exist, and that the next one uses what it has
// stored.
func TestInterrupted(t *testing.T) {
	i, v := newInstallation(t), newVault(t)
	for n := range 40 {
		i.put(fmt.Sprintf("imports/i%d/raw", n), fmt.Sprint("text ", n))
	}
	ctx, cancel := context.WithCancel(t.Context())
	options := v.options()
	options.Progress = func(sum backup.Summary) {
		if sum.NewObjects == 20 {
			cancel()
		}
	}
	if _, err := v.open().Create(ctx, i.source(), options); !errors.Is(err, context.Canceled) {
		t.Fatalf("the interrupted backup: %v", err)
	}
	if _, err := v.restore(0, v.identity, nil); !errors.Is(err, backup.ErrEmpty) {
		t.Errorf("restoring without a complete backup: %v, want ErrEmpty", err)
	}
	if sum := v.back(i, v.options()); sum.Files != 40 || sum.NewObjects > 30 {
		t.Errorf("the next backup stores %d objects again: %+v", sum.NewObjects-24, sum)
	}
	v.wantRestored(0, i.database, contents(t, i.files))
	must(t, i.files.Delete(t.Context(), "imports/i0/raw")) // the deletions of the interrupted backup are not suspended
}

// damagedForms returns damaged forms of the content of an object.
func damagedForms(content []byte) map[string][]byte {
	flip := func(at int) []byte {
		changed := bytes.Clone(content)
		changed[at] ^= 1
		return changed
	}
	return map[string][]byte{
		"missing": nil, "empty": nil, "shortened": content[:len(content)/2], "changed": flip(len(content) / 2), "changed beginning": flip(60),
	}
}

// wantFound checks that the damage of an object is found with and without the private key, and that nothing
// is restored.
func (v *vault) wantFound(damage string) {
	v.t.Helper()
	for _, identities := range [][]age.Identity{nil, {v.identity}} {
		if checked, err := v.open().Check(v.t.Context(), 1, identities, nil); err != nil || len(checked.Problems) != 1 {
			v.t.Errorf("%s: Check finds %v, %v", damage, checked.Problems, err)
		}
	}
	r, err := v.restore(0, v.identity, nil)
	if !errors.Is(err, backup.ErrDamaged) && !errors.Is(err, backup.ErrIncomplete) {
		v.t.Errorf("%s: restore: %v", damage, err)
	}
	if r.opened && !strings.HasPrefix(damage, "changed") {
		v.t.Errorf("%s: something was written before the error", damage)
	}
}

// restoresPart restores all but the damaged object. It returns false if the database is damaged.
func (v *vault) restoresPart(damage string) bool {
	v.t.Helper()
	skipped := 0
	r, err := v.restore(0, v.identity, func(error) error { skipped++; return nil })
	if err == nil && (skipped != 1 || len(r.files) != 1 || string(r.database) != "short") || err != nil && skipped > 0 {
		v.t.Errorf("%s: partial restore: %v, %d skipped, files %v", damage, err, skipped, r.files)
	}
	return err == nil
}

// TestDamage checks that missing and changed objects are found, and that the rest can be restored.
func TestDamage(t *testing.T) {
	i, v := newInstallation(t), newVault(t)
	i.database = []byte("short")
	i.put("imports/a/raw", "first")
	i.put("imports/b/raw", "second")
	v.back(i, v.options())
	intact, err := v.open().Check(t.Context(), 0, nil, nil)
	if err != nil || len(intact.Problems) > 0 || intact.Objects != 3 {
		t.Fatalf("an intact backup: %+v, %v", intact, err)
	}
	partial, refused := 0, 0
	for _, path := range v.objectFiles() {
		content, err := os.ReadFile(path)
		must(t, err)
		for damage, changed := range damagedForms(content) {
			must(t, os.RemoveAll(path))
			if damage != "missing" {
				must(t, os.WriteFile(path, changed, 0o600))
			}
			v.wantFound(damage)
			if v.restoresPart(damage) {
				partial++
			} else {
				refused++
			}
		}
		must(t, os.WriteFile(path, content, 0o600))
	}
	if partial != 10 || refused != 5 {
		t.Errorf("%d partial restores and %d refused ones, want 10 and 5", partial, refused)
	}
	v.wantRestored(0, i.database, contents(t, i.files))
	must(t, os.WriteFile(v.objectFiles()[0], nil, 0o600))
	if sum := v.back(i, v.options()); sum.NewObjects != 1 {
		t.Errorf("the next backup stores %d objects, want the shortened one", sum.NewObjects)
	}
	v.wantRestored(1, i.database, contents(t, i.files))
}

// TestDamagedIndex checks changes in the list and in the manifest of a backup.
func TestDamagedIndex(t *testing.T) {
	i, v := newInstallation(t), newVault(t)
	i.put("imports/a/raw", "first")
	v.back(i, v.options())
	for _, part := range []string{"list", "manifest"} {
		path := filepath.Join(v.folder, "blobs", "snapshots+", "00000001+", part)
		content, err := os.ReadFile(path)
		must(t, err)
		changed := bytes.Clone(content)
		changed[len(changed)-1] ^= 1
		must(t, os.WriteFile(path, changed, 0o600))
		if r, err := v.restore(0, v.identity, nil); !errors.Is(err, backup.ErrDamaged) || r.opened {
			t.Errorf("a changed %s: %v", part, err)
		}
		if checked, err := v.open().Check(t.Context(), 0, []age.Identity{v.identity}, nil); err != nil || len(checked.Problems) != 1 {
			t.Errorf("a changed %s: Check finds %v, %v", part, checked.Problems, err)
		}
		must(t, os.WriteFile(path, content, 0o600))
	}
	must(t, os.Remove(filepath.Join(v.folder, "blobs", "snapshots+", "00000001+", "list")))
	if _, err := v.restore(0, v.identity, nil); !errors.Is(err, backup.ErrIncomplete) {
		t.Errorf("a missing list: %v", err)
	}
	if sum := v.back(i, v.options()); sum.Number != 2 {
		t.Errorf("the next backup: %+v", sum)
	}
	v.wantRestored(0, i.database, contents(t, i.files))
}

// TestRefused checks what is refused before anything is written.
func TestRefused(t *testing.T) {
	i, v := newInstallation(t), newVault(t)
	v.back(i, v.options())
	other, err := age.GenerateX25519Identity()
	must(t, err)
	if r, err := v.restore(0, other, nil); !errors.Is(err, backup.ErrIdentity) || r.opened {
		t.Errorf("the wrong private key: %v", err)
	}
	if _, err := v.restore(9, v.identity, nil); err == nil || !strings.Contains(err.Error(), "9") {
		t.Errorf("an unknown number: %v", err)
	}
	for name, create := range map[string]func() error{
		"other recipients": func() error {
			_, err := v.open().Create(t.Context(), i.source(), backup.Options{Recipients: []string{other.Recipient().String()}})
			return err
		},
		"another installation": func() error {
			_, err := v.open().Create(t.Context(), newInstallation(t).source(), v.options())
			return err
		},
		"no recipient": func() error { _, err := v.open().Create(t.Context(), i.source(), backup.Options{}); return err },
		"a private key as recipient": func() error {
			_, err := v.open().Create(t.Context(), i.source(), backup.Options{Recipients: []string{other.String()}})
			if err != nil && strings.Contains(err.Error(), other.String()) {
				t.Errorf("the error contains the private key: %v", err)
			}
			return err
		},
		"a folder with other files": func() error { _, err := backup.Open(t.Context(), i.files); return err },
	} {
		i.put("imports/a/raw", "text")
		if err := create(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if list, err := v.open().Snapshots(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("backups %v, %v", list, err)
	}
}

// age makes a backup look older.
func (v *vault) age(number int64, by time.Duration) {
	v.t.Helper()
	must(v.t, v.store.SetModified(fmt.Sprintf("snapshots/%08d/manifest", number), time.Now().Add(-by)))
}

func (v *vault) wantNumbers(want ...int64) {
	v.t.Helper()
	list, err := v.open().Snapshots(v.t.Context())
	must(v.t, err)
	got := []int64{}
	for _, s := range list {
		got = append(got, s.Number)
	}
	if !slices.Equal(got, want) {
		v.t.Errorf("backups %v, want %v", got, want)
	}
}

// TestOldBackups checks that old backups are deleted with the files that only they contain.
func TestOldBackups(t *testing.T) {
	const day = 24 * time.Hour
	i, v := newInstallation(t), newVault(t)
	options := v.options()
	options.Keep = 30 * day
	for n := range int64(5) {
		i.put(fmt.Sprintf("imports/i%d/raw", n), "text")
		v.back(i, options)
		must(t, i.files.DeleteAll(t.Context(), fmt.Sprintf("imports/i%d", n)))
	}
	v.wantNumbers(1, 2, 3, 4, 5)
	objects := len(v.objectFiles())
	v.age(1, 32*day)
	v.age(2, 31*day)
	v.age(3, 29*day)
	if sum := v.back(i, options); sum.Deleted != 2 {
		t.Errorf("%d backups were deleted, want 2", sum.Deleted)
	}
	v.wantNumbers(3, 4, 5, 6)
	if now := len(v.objectFiles()); now != objects-2 {
		t.Errorf("%d objects remain of %d, want all but the 2 that only deleted backups contain", now, objects)
	}
	v.wantRestored(3, i.database, map[string]string{"imports/i2/raw": "text"})
	for n := range int64(4) {
		v.age(3+n, 400*day)
	}
	v.back(i, options)
	v.wantNumbers(5, 6, 7) // the newest three remain
}

// TestClock checks that no backup is deleted if the system clock cannot be trusted.
func TestClock(t *testing.T) {
	const day = 24 * time.Hour
	i, v := newInstallation(t), newVault(t)
	for range 5 {
		v.back(i, v.options())
	}
	v.age(1, 100*day)
	calls := 0
	for name, clock := range map[string]func() time.Time{
		"jumps ahead": func() time.Time { calls++; return time.Now().Add(time.Duration(calls) * time.Hour) },
		"jumps back":  func() time.Time { calls++; return time.Now().Add(-time.Duration(calls) * time.Hour) },
		"is behind":   func() time.Time { return time.Now().Add(-50 * day) },
	} {
		options := v.options()
		options.Keep, options.Clock = 30*day, clock
		if sum := v.back(i, options); sum.Deleted != 0 || sum.Warning == "" {
			t.Errorf("a clock that %s: %+v", name, sum)
		}
	}
	v.wantNumbers(1, 2, 3, 4, 5, 6, 7, 8)
}
