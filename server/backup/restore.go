package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"filippo.io/age"
	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/server/blob"
)

// Files receive the stored files of a backup.
type Files interface {
	blob.Store
	// SetModified sets the time of a stored file, so that the next backup recognizes it.
	SetModified(key string, modified time.Time) error
}

// Target is where a backup is restored.
type Target struct {
	// Accept returns an error if the backup cannot be restored.
	Accept func(Manifest) error
	// Open creates the empty target. It is called once it is certain that all objects exist.
	Open func(Manifest) (Files, error)
	// Database is the path of the new database.
	Database string
	// Skip is called for each file that is missing in the backup or damaged. It returns nil to continue
	// without the file. If Skip is nil, Restore returns the error, and writes nothing if files are missing.
	Skip func(error) error
	// Progress is called after each object. Calls are sequential. It may be nil.
	Progress func(done, all int64)
}

// Restore writes the files and the database of a backup. Number 0 selects the newest one. It checks that
// all objects exist before it writes anything.
func (r *Repository) Restore(ctx context.Context, number int64, identities []age.Identity, target Target) (Manifest, error) {
	m, objects, err := r.open(ctx, number, identities, target.Skip == nil)
	if err != nil {
		return m, err
	}
	if err := target.Accept(m); err != nil {
		return m, err
	}
	restored := &restoration{Repository: r, Target: target, identities: identities}
	if restored.files, err = target.Open(m); err != nil {
		return m, err
	}
	chunks := map[name]bool{}
	for _, text := range m.Database.Chunks {
		n, _ := parseName(text)
		chunks[n] = true
	}
	if err := restored.writeDatabase(ctx, m.Database); err != nil {
		return m, err
	}
	files := make([]object, 0, len(objects))
	for _, o := range objects {
		if !chunks[o.name] {
			files = append(files, o)
		}
	}
	return m, forEach(ctx, files, restored.Progress, restored.writeFile)
}

// open reads the manifest and the list of a backup. If complete is set, it checks that all objects exist.
func (r *Repository) open(ctx context.Context, number int64, identities []age.Identity, complete bool) (Manifest, []object, error) {
	found, err := r.list(ctx)
	if err != nil {
		return Manifest{}, nil, err
	}
	s, err := found.find(number)
	if err != nil {
		return Manifest{}, nil, err
	}
	m, err := r.Manifest(ctx, s, identities)
	if err != nil {
		return m, nil, err
	}
	objects, sum, err := r.objectsOf(ctx, s)
	if err == nil && sum != m.ListSHA256 {
		err = fmt.Errorf("%w: the list of backup %d has changed", ErrDamaged, s.Number)
	}
	if err == nil && complete {
		err = found.checkObjects(s, objects)
	}
	return m, objects, err
}

// checkObjects returns ErrIncomplete if objects of a backup are missing, or have another size.
func (c contents) checkObjects(s Snapshot, objects []object) error {
	missing := 0
	for _, o := range objects {
		if size, exists := c.objects[o.name]; !exists || size != o.size {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("%w: %d of the %d objects of backup %d are missing or incomplete", ErrIncomplete, missing, len(objects), s.Number)
	}
	return nil
}

// forEach calls do for each object, in several goroutines, until a call fails.
func forEach(ctx context.Context, objects []object, progress func(done, all int64), do func(context.Context, name) error) error {
	var mu sync.Mutex
	done := int64(0)
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, o := range objects {
		if inGroup.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := do(inGroup, o.name); err != nil || progress == nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			progress(done, int64(len(objects)))
			return nil
		})
	}
	return errors.Join(group.Wait(), ctx.Err())
}

// restoration is a call of Restore.
type restoration struct {
	*Repository
	Target
	files      Files
	identities []age.Identity
	// mu is held while Skip is called.
	mu sync.Mutex
}

// writeFile restores a stored file.
func (r *restoration) writeFile(ctx context.Context, n name) error {
	err := r.readObject(ctx, n, r.identities, func(h header, content io.Reader) error {
		w, err := r.files.Create(ctx, h.Key)
		if err != nil {
			return err
		}
		defer w.Abort()
		if _, err := io.Copy(w, content); err != nil {
			return err
		}
		if err := w.Commit(); err != nil {
			return err
		}
		return r.files.SetModified(h.Key, time.Unix(0, h.Modified))
	})
	if isDamage(err) && r.Skip != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.Skip(err)
	}
	return err
}

// writeDatabase restores the database.
func (r *restoration) writeDatabase(ctx context.Context, d database) (err error) {
	file, err := os.OpenFile(r.Database, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	if err := r.readDatabase(ctx, d, r.identities, io.MultiWriter(file, sum)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != d.SHA256 {
		return fmt.Errorf("%w: the database has another checksum than when it was backed up", ErrDamaged)
	}
	return file.Sync()
}

// readDatabase writes the copy of the database to w.
func (r *Repository) readDatabase(ctx context.Context, d database, identities []age.Identity, w io.Writer) error {
	for _, text := range d.Chunks {
		n, ok := parseName(text)
		if !ok {
			return fmt.Errorf("%w: %q is not the name of an object", ErrDamaged, text)
		}
		err := r.readObject(ctx, n, identities, func(_ header, content io.Reader) error {
			_, err := io.Copy(w, content)
			return err
		})
		if err != nil {
			return fmt.Errorf("restore the database: %w", err)
		}
	}
	return nil
}

// Checked describes a backup that Check has read.
type Checked struct {
	Snapshot
	// Objects and Bytes count the objects, and their encrypted bytes.
	Objects, Bytes int64
	// Problems are the errors that were found, or nil.
	Problems []error
}

// Check reads all objects of a backup and compares their checksums. With private keys, it also decrypts
// them. Number 0 selects the newest backup. Damage is not an error.
func (r *Repository) Check(ctx context.Context, number int64, identities []age.Identity, progress func(done, all int64)) (Checked, error) {
	found, err := r.list(ctx)
	if err != nil {
		return Checked{}, err
	}
	s, err := found.find(number)
	if err != nil {
		return Checked{}, err
	}
	c := Checked{Snapshot: s}
	objects, sum, err := r.objectsOf(ctx, s)
	if err == nil && len(identities) > 0 {
		var m Manifest
		if m, err = r.Manifest(ctx, s, identities); err == nil && m.ListSHA256 != sum {
			err = fmt.Errorf("%w: the list of backup %d has changed", ErrDamaged, s.Number)
		}
	}
	if isDamage(err) {
		c.Problems = append(c.Problems, err)
		return c, nil
	}
	if err != nil {
		return c, err
	}
	var mu sync.Mutex
	err = forEach(ctx, objects, progress, func(ctx context.Context, n name) error {
		err := r.checkObject(ctx, n, identities)
		if !isDamage(err) {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		c.Problems = append(c.Problems, err)
		return nil
	})
	for _, o := range objects {
		c.Objects, c.Bytes = c.Objects+1, c.Bytes+o.size
	}
	return c, err
}

func isDamage(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrIncomplete) }
