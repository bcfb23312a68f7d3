package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"
	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/server/backup"
)

// copiers is the number of files that the copy in BenchmarkBackup writes at the same time. It equals the
// number of objects that a backup writes at the same time.
const copiers = 4

// mixedContent returns size bytes. The first half is text like that of a CSV file, and the second half cannot
// be compressed, like staged rows and workbooks.
func mixedContent(random *rand.Rand, size int) []byte {
	content := make([]byte, 0, size+100)
	for len(content) < size/2 {
		content = fmt.Appendf(content, "%d,Customer %d,customer%d@example.org,2026-%02d-%02d,%d.%02d\n", len(content), random.IntN(1e6), random.IntN(1e6), 1+random.IntN(12), 1+random.IntN(28), random.IntN(1e4), random.IntN(100))
	}
	for len(content) < size {
		content = append(content, byte(random.Uint32()))
	}
	return content[:size]
}

// copyFolder copies all files of a folder, and flushes each one.
func copyFolder(to, from string) error {
	var group errgroup.Group
	group.SetLimit(copiers)
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		inside, _ := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, inside), 0o700)
		}
		group.Go(func() error { return copyFile(filepath.Join(to, inside), path) })
		return nil
	})
	return errors.Join(err, group.Wait())
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// BenchmarkBackup compares a first backup, a backup without changes, and a restore with a plain copy of the
// same files, which flushes each file. Each iteration makes all four, one after the other. A ratio of 2 means
// that the operation takes twice as long as the copy.
func BenchmarkBackup(b *testing.B) {
	for _, c := range []struct {
		name        string
		files, size int
	}{{"large files", 8, 16 << 20}, {"small files", 2000, 16 << 10}} {
		b.Run(c.name, func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 2))
			i := newInstallation(b)
			i.database = mixedContent(random, 16<<20)
			for n := range c.files {
				i.put(fmt.Sprintf("imports/%d/raw", n), string(mixedContent(random, c.size)))
			}
			bytes := int64(c.files*c.size + len(i.database))
			var took [4]time.Duration
			for b.Loop() {
				for n, d := range timeBackup(b, i, int64(c.files)) {
					took[n] += d
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(bytes)*float64(b.N)/1e6/took[0].Seconds(), "copy-MB/s")
			for n, name := range []string{"backup", "unchanged", "restore"} {
				b.ReportMetric(took[n+1].Seconds()/took[0].Seconds(), name+"/copy")
			}
		})
	}
}

// timeBackup returns how long a copy, a first backup, a backup without changes and a restore take.
func timeBackup(b *testing.B, i *installation, files int64) (took [4]time.Duration) {
	b.Helper()
	folder, err := os.MkdirTemp(b.TempDir(), "")
	must(b, err)
	defer func() { must(b, os.RemoveAll(folder)) }()
	v := newVault(b)
	defer func() { must(b, os.RemoveAll(v.folder)) }()
	source := i.source()
	database := filepath.Join(source.Temp, "original")
	must(b, os.WriteFile(database, i.database, 0o600))
	source.CopyDatabase = func(_ context.Context, path string) (int64, string, error) {
		return 7, masterKey, copyFile(path, database)
	}
	create := func(newObjects bool) {
		sum, err := v.open().Create(b.Context(), source, v.options())
		must(b, err)
		if sum.Files != files || sum.NewObjects > 0 != newObjects {
			b.Fatalf("the backup has %d files, %d objects are new", sum.Files, sum.NewObjects)
		}
	}
	restored := openDisk(b, filepath.Join(folder, "restored"))
	for n, work := range []func(){
		func() {
			must(b, errors.Join(copyFolder(filepath.Join(folder, "copy"), i.folder), copyFile(filepath.Join(folder, "database-copy"), database)))
		},
		func() { create(true) },
		func() { create(false) },
		func() {
			m, err := v.open().Restore(b.Context(), 0, []age.Identity{v.identity}, backup.Target{
				Accept:   func(backup.Manifest) error { return nil },
				Open:     func(backup.Manifest) (backup.Files, error) { return restored, nil },
				Database: filepath.Join(folder, "database"),
			})
			must(b, err)
			if m.Files != files {
				b.Fatalf("%d files were restored", m.Files)
			}
		},
	} {
		began := time.Now()
		work()
		took[n] = time.Since(began)
	}
	return took
}
