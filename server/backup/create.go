package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"filippo.io/age"
	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/secrets"
)

const (
	// workers is the maximum number of objects that are written or read at the same time.
	workers = 4
	// chunkSize is the size of a part of the database, in bytes.
	chunkSize = 1 << 20
	// keepAtLeast is the number of newest backups that are never deleted, so that a clock that is far ahead
	// does not delete all of them.
	keepAtLeast = 3
	// maxClockJump is the difference between the system clock and the time that has passed during a
	// backup, from which the clock is not trusted.
	maxClockJump = time.Minute
)

// Source is an installation to back up.
type Source struct {
	// Files are the stored files.
	Files interface {
		blob.Store
		blob.Lister
		blob.Holder
	}
	// CopyDatabase copies the database to a new file with the given path, and returns the version of its
	// schema and the text of its master key, or "" to leave the key out.
	CopyDatabase func(ctx context.Context, path string) (schema int64, masterKey string, err error)
	// Temp is a folder for a copy of the database.
	Temp string
	// Key determines the names of objects. It must be the same for all backups of an installation.
	Key secrets.Key
	// Version is the version of Intray.
	Version string
}

// Options configure Create.
type Options struct {
	// Recipients are the public keys of those who can restore the backup, such as "age1…".
	Recipients []string
	// Keep is how long backups are kept. The newest three are always kept. 0 means forever.
	Keep time.Duration
	// Clock returns the current time. Default: time.Now.
	Clock func() time.Time
	// Progress is called after each stored file, with the numbers so far. Calls are sequential. It may be
	// nil.
	Progress func(Summary)
}

// Summary describes a new backup.
type Summary struct {
	Number int64
	// Files and Bytes count the stored files in the backup, and the bytes in them.
	Files, Bytes int64
	// NewObjects and NewBytes count the objects that were not in the repository before, and their encrypted
	// bytes.
	NewObjects, NewBytes int64
	// Deleted is the number of old backups that were deleted.
	Deleted int
	// Warning explains why old backups were not deleted although Keep is set, or is "".
	Warning string
}

// creation is a call of Create.
type creation struct {
	*Repository
	Source
	Options
	recipients []age.Recipient

	mu sync.Mutex
	// stored are the sizes of the objects in the repository.
	stored map[name]int64
	sum    Summary
}

// Create backs up an installation, which may be in use. It first stores all files, then copies the
// database while deletions are suspended, and finally stores the files that are new since. The backup
// therefore contains every file that its database refers to. Without a complete manifest, a backup does not
// exist; a later one uses the objects that an interrupted one has stored.
func (r *Repository) Create(ctx context.Context, source Source, options Options) (Summary, error) {
	recipients, err := ParseRecipients(options.Recipients)
	if err != nil {
		return Summary{}, err
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	installation := hex.EncodeToString(source.Key.MAC([]byte("installation")))
	if err := r.initialize(ctx, installation, options.Recipients); err != nil {
		return Summary{}, err
	}
	found, err := r.list(ctx)
	if err != nil {
		return Summary{}, err
	}
	c := &creation{Repository: r, Source: source, Options: options, recipients: recipients}
	if c.stored, err = r.intactObjects(ctx, found); err != nil {
		return Summary{}, err
	}
	began, wall := time.Now(), options.Clock()
	if err := c.create(ctx, found); err != nil {
		return c.sum, err
	}
	elapsed := time.Since(began) // according to the monotonic clock
	if jump := options.Clock().Sub(wall) - elapsed; jump.Abs() > maxClockJump {
		c.sum.Warning = "the system clock was changed during the backup; no old backup was deleted"
		return c.sum, nil
	}
	return c.sum, c.prune(ctx)
}

// intactObjects returns the objects in the repository, without those whose size is not the one in the list
// of the newest backup. They are stored again.
func (r *Repository) intactObjects(ctx context.Context, found contents) (map[name]int64, error) {
	newest, err := found.find(0)
	if errors.Is(err, ErrEmpty) {
		return found.objects, nil
	}
	if err != nil {
		return nil, err
	}
	listed, _, err := r.objectsOf(ctx, newest)
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrIncomplete) {
		return map[name]int64{}, nil // store everything again
	}
	for _, o := range listed {
		if found.objects[o.name] != o.size {
			delete(found.objects, o.name)
		}
	}
	return found.objects, err
}

// create stores the next backup.
func (c *creation) create(ctx context.Context, found contents) error {
	if _, err := c.storeFiles(ctx); err != nil {
		return err
	}
	m, objects, err := c.copyAll(ctx)
	if err != nil {
		return err
	}
	list, err := encodeList(objects)
	if err != nil {
		return err
	}
	m.Version, m.ListSHA256 = c.Version, sumOf(list)
	content, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var encrypted bytes.Buffer
	to, err := age.Encrypt(&encrypted, c.recipients...)
	if err != nil {
		return err
	}
	if _, err := to.Write(content); err != nil {
		return err
	}
	if err := to.Close(); err != nil {
		return err
	}
	made := Snapshot{Number: found.last + 1}
	if err := c.write(ctx, made.prefix()+listName, list); err != nil {
		return err
	}
	c.sum.Number, c.sum.Files, c.sum.Bytes = made.Number, m.Files, m.Bytes
	return c.write(ctx, made.prefix()+manifestName, encrypted.Bytes())
}

// copyAll stores the database, and all files while deletions are suspended.
func (c *creation) copyAll(ctx context.Context) (m Manifest, objects []object, err error) {
	release, err := c.Files.Hold(ctx)
	if err != nil {
		return m, nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	path := filepath.Join(c.Temp, "database")
	if m.Schema, m.MasterKey, err = c.CopyDatabase(ctx, path); err != nil {
		return m, nil, fmt.Errorf("copy the database: %w", err)
	}
	m.Created = c.Clock().UTC()
	files, err := c.storeFiles(ctx)
	if err != nil {
		return m, nil, err
	}
	for _, f := range files {
		m.Files, m.Bytes = m.Files+1, m.Bytes+f.content
		objects = append(objects, f.object)
	}
	var chunks []object
	if m.Database, chunks, err = c.storeDatabase(ctx, path); err != nil {
		return m, nil, err
	}
	return m, append(objects, chunks...), os.Remove(path)
}

// storedFile is a file in a backup.
type storedFile struct {
	object
	// content is the size of the file, in bytes.
	content int64
}

// storeFiles stores all files that the repository does not contain. It ignores files that are deleted in
// the meantime.
func (c *creation) storeFiles(ctx context.Context) ([]storedFile, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	files := []*storedFile{}
	for f, err := range c.Files.List(ctx) {
		if err != nil {
			return nil, errors.Join(err, group.Wait())
		}
		file := &storedFile{content: f.Size}
		files = append(files, file)
		if n := nameOfFile(c.Key, f); c.has(n) {
			file.object = object{n, c.sizeOf(n)}
			continue
		}
		group.Go(func() (err error) {
			file.object, err = c.storeFile(ctx, f)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	list := make([]storedFile, 0, len(files))
	for _, f := range files {
		if f.object != (object{}) {
			list = append(list, *f)
		}
	}
	return list, nil
}

// storeFile stores a file. If it was deleted, storeFile returns a zero object.
func (c *creation) storeFile(ctx context.Context, f blob.Entry) (object, error) {
	b, err := c.Files.Open(ctx, f.Key)
	if errors.Is(err, blob.ErrNotFound) {
		return object{}, nil
	}
	if err != nil {
		return object{}, err
	}
	defer func() { _ = b.Close() }()
	// A file that is being received may have become longer since it was listed, or shorter.
	if b.Size() < f.Size {
		f.Size, f.Modified = b.Size(), f.Modified.Add(1)
	}
	h := header{Key: f.Key, Size: f.Size, Modified: f.Modified.UnixNano()}
	return c.add(ctx, nameOfFile(c.Key, f), h, io.NewSectionReader(b, 0, f.Size))
}

func (c *creation) has(n name) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.stored[n]
	return known
}

func (c *creation) sizeOf(n name) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stored[n]
}

// add stores an object that is not in the repository.
func (c *creation) add(ctx context.Context, n name, h header, content io.Reader) (object, error) {
	o, err := c.writeObject(ctx, n, h, content, c.recipients)
	if err != nil {
		return object{}, fmt.Errorf("back up %s: %w", describe(h), err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stored[n] = o.size
	c.sum.NewObjects++
	c.sum.NewBytes += o.size
	if c.Progress != nil {
		c.Progress(c.sum)
	}
	return o, nil
}

func describe(h header) string {
	if h.Key == "" {
		return "the database"
	}
	return "the file " + h.Key
}

// storeDatabase stores the parts of a copy of the database.
func (c *creation) storeDatabase(ctx context.Context, path string) (d database, objects []object, err error) {
	file, err := os.Open(path)
	if err != nil {
		return d, nil, err
	}
	defer func() { _ = file.Close() }()
	sum, chunk := sha256.New(), make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(file, chunk)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return d, nil, fmt.Errorf("read the copy of the database: %w", err)
		}
		part := chunk[:n]
		sum.Write(part)
		named := nameOfChunk(c.Key, part)
		if !c.has(named) {
			if _, err := c.add(ctx, named, header{Size: int64(n)}, bytes.NewReader(part)); err != nil {
				return d, nil, err
			}
		}
		objects = append(objects, object{named, c.sizeOf(named)})
		d.Size += int64(n)
		d.Chunks = append(d.Chunks, named.String())
	}
	d.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return d, objects, nil
}

// prune deletes old backups, and the objects that no backup needs.
func (c *creation) prune(ctx context.Context) error {
	found, err := c.list(ctx)
	if err != nil || c.Keep <= 0 {
		return err
	}
	now := c.Clock()
	old := max(len(found.snapshots)-keepAtLeast, 0)
	kept := make([]Snapshot, 0, len(found.snapshots))
	for _, s := range found.snapshots {
		if s.Stored.After(now.Add(maxClockJump)) {
			c.sum.Warning = fmt.Sprintf("backup %d is from the future according to the system clock; no old backup was deleted", s.Number)
			return nil
		}
	}
	for i, s := range found.snapshots {
		if i < old && now.Sub(s.Stored) > c.Keep {
			// The manifest is deleted first, so that an incomplete backup is never regarded as complete.
			if err := c.deleteSnapshot(ctx, s); err != nil {
				return err
			}
			c.sum.Deleted++
			continue
		}
		kept = append(kept, s)
	}
	return c.deleteUnused(ctx, found, kept)
}

func (c *creation) deleteSnapshot(ctx context.Context, s Snapshot) error {
	if err := c.store.Delete(ctx, s.prefix()+manifestName); err != nil {
		return err
	}
	return c.store.Delete(ctx, s.prefix()+listName)
}

// deleteUnused deletes the objects that are in none of the kept backups.
func (c *creation) deleteUnused(ctx context.Context, found contents, kept []Snapshot) error {
	for _, s := range kept {
		objects, _, err := c.objectsOf(ctx, s)
		if errors.Is(err, ErrDamaged) || errors.Is(err, ErrIncomplete) {
			c.sum.Warning = err.Error() + "; objects of old backups were not deleted"
			return nil
		}
		if err != nil {
			return err
		}
		for _, o := range objects {
			delete(found.objects, o.name)
		}
	}
	for n := range found.objects {
		if err := c.store.Delete(ctx, n.key()); err != nil {
			return err
		}
	}
	return nil
}
