// Package backup stores encrypted, incremental backups of an installation with an embedded database.
//
// A [Repository] is a folder or a bucket that contains the backups of one installation. Every stored file,
// and every MiB of the database, is an object that is encrypted with age and never changes. Each backup
// is complete: it lists all of its objects. An object that an earlier backup has stored is not stored
// again. The blobs of a repository are:
//
//	repository                    the format, the installation and the recipients, as JSON
//	objects/AB/ABCD…              an object; the name is a keyed hash, which does not reveal the content
//	snapshots/00000012/list       the names and sizes of the objects of the twelfth backup, compressed with zstd
//	snapshots/00000012/manifest   what the backup consists of, as encrypted JSON; it is written last
//
// An object is age(zstd(header, "\n", content)), followed by the SHA-256 of the age file. The header is
// JSON. The checksum makes it possible to find damage without a private key.
//
// To back up, only public keys are needed. Whoever can write to a repository can delete backups and can
// replace them with others, but cannot read them. The package does not know which files belong to an import:
// after a restore, the caller verifies them.
package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/intraydata/intray/server/blob"
)

// format is the version of the format of repositories.
const format = 1

const (
	repositoryKey   = "repository"
	objectsPrefix   = "objects/"
	snapshotsPrefix = "snapshots/"
	listName        = "/list"
	manifestName    = "/manifest"
)

var (
	// ErrEmpty means that the repository contains no complete backup.
	ErrEmpty = errors.New("there is no complete backup")
	// ErrIdentity means that none of the private keys can decrypt the backup.
	ErrIdentity = errors.New("the private key does not belong to the public keys of the backup")
	// ErrIncomplete means that objects of a backup are missing.
	ErrIncomplete = errors.New("the backup is incomplete")
	// ErrDamaged means that a blob of a repository has changed.
	ErrDamaged = errors.New("the backup is damaged")
)

// Store is where a repository is.
type Store interface {
	blob.Store
	blob.Lister
}

// Repository contains the backups of one installation. Only one process may write to it at a time.
type Repository struct {
	store Store
	// settings are those of an existing repository, or nil.
	settings *settings
}

// settings are the contents of the blob "repository".
type settings struct {
	Format       int      `json:"format"`
	Installation string   `json:"installation"`
	Recipients   []string `json:"recipients"`
}

// Open opens the repository in a store. A repository that does not exist is created by its first backup.
func Open(ctx context.Context, store Store) (*Repository, error) {
	r := &Repository{store: store}
	content, err := r.read(ctx, repositoryKey)
	if errors.Is(err, blob.ErrNotFound) {
		return r, r.checkUnused(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.settings = &settings{}
	if err := json.Unmarshal(content, r.settings); err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", repositoryKey, ErrDamaged, err)
	}
	if r.settings.Format != format {
		return nil, fmt.Errorf("the repository has format %d, but this program supports only format %d; use another version of Intray", r.settings.Format, format)
	}
	return r, nil
}

// checkUnused returns an error if a store without a repository contains blobs.
func (r *Repository) checkUnused(ctx context.Context) error {
	for entry, err := range r.store.List(ctx) {
		if err != nil {
			return err
		}
		return fmt.Errorf("this is not a repository of backups, but it contains %s; use an empty folder, or an unused prefix in the bucket", entry.Key)
	}
	return nil
}

// Recipients returns the public keys for which the backups are encrypted.
func (r *Repository) Recipients() []string {
	if r.settings == nil {
		return nil
	}
	return slices.Clone(r.settings.Recipients)
}

// initialize creates the repository, or checks that it belongs to the installation and the recipients.
func (r *Repository) initialize(ctx context.Context, installation string, recipients []string) error {
	recipients = slices.Sorted(slices.Values(recipients))
	switch {
	case r.settings == nil:
		made := &settings{format, installation, recipients}
		content, err := json.Marshal(made)
		if err != nil {
			return err
		}
		if err := r.write(ctx, repositoryKey, content); err != nil {
			return err
		}
		r.settings = made
	case r.settings.Installation != installation:
		return errors.New("this repository contains the backups of another installation; use another folder or prefix")
	case !slices.Equal(r.settings.Recipients, recipients):
		return fmt.Errorf("the backups in this repository are encrypted for %s; use the same public keys, or another folder or prefix", strings.Join(r.settings.Recipients, ", "))
	}
	return nil
}

// Snapshot is a complete backup.
type Snapshot struct {
	// Number is 1 for the first backup of a repository.
	Number int64
	// Stored is the time when the backup was completed, according to the store.
	Stored time.Time
}

func (s Snapshot) prefix() string { return fmt.Sprintf("%s%08d", snapshotsPrefix, s.Number) }

// contents are the blobs of a repository.
type contents struct {
	// snapshots are the complete backups, oldest first. last is the highest number, also of an incomplete
	// backup.
	snapshots []Snapshot
	last      int64
	// objects are the sizes of all objects.
	objects map[name]int64
}

// list reads which blobs the repository contains.
func (r *Repository) list(ctx context.Context) (contents, error) {
	found := contents{objects: map[name]int64{}}
	for entry, err := range r.store.List(ctx) {
		if err != nil {
			return found, err
		}
		if object, ok := parseObjectKey(entry.Key); ok {
			found.objects[object] = entry.Size
			continue
		}
		rest, isSnapshot := strings.CutPrefix(entry.Key, snapshotsPrefix)
		digits, part, _ := strings.Cut(rest, "/")
		number, err := strconv.ParseInt(digits, 10, 64)
		if !isSnapshot || err != nil {
			continue
		}
		found.last = max(found.last, number)
		if part == manifestName[1:] {
			found.snapshots = append(found.snapshots, Snapshot{number, entry.Modified})
		}
	}
	slices.SortFunc(found.snapshots, func(a, b Snapshot) int { return int(a.Number - b.Number) })
	return found, nil
}

// Snapshots returns the complete backups, oldest first.
func (r *Repository) Snapshots(ctx context.Context) ([]Snapshot, error) {
	found, err := r.list(ctx)
	return found.snapshots, err
}

// find returns the backup with a number, or the newest one if number is 0.
func (c contents) find(number int64) (Snapshot, error) {
	if number == 0 && len(c.snapshots) > 0 {
		return c.snapshots[len(c.snapshots)-1], nil
	}
	for _, s := range c.snapshots {
		if s.Number == number {
			return s, nil
		}
	}
	if len(c.snapshots) == 0 {
		return Snapshot{}, ErrEmpty
	}
	return Snapshot{}, fmt.Errorf("there is no complete backup with the number %d", number)
}

// Manifest describes a backup.
type Manifest struct {
	// Version is the version of Intray, and Schema that of the database.
	Version string `json:"version"`
	Schema  int64  `json:"schema"`
	// Created is the time at which the database was copied.
	Created time.Time `json:"created"`
	// MasterKey is the text of the master key, or "" if it is not part of the backup.
	MasterKey string `json:"masterKey"`
	// Files and Bytes count the stored files and the bytes in them.
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	// Database is the copy of the database.
	Database database `json:"database"`
	// ListSHA256 is the checksum of the list of objects.
	ListSHA256 string `json:"listSha256"`
}

// database is the copy of a database, in chunks.
type database struct {
	Size   int64    `json:"size"`
	SHA256 string   `json:"sha256"`
	Chunks []string `json:"chunks"`
}

// read returns the content of a small blob.
func (r *Repository) read(ctx context.Context, key string) ([]byte, error) {
	blobReader, err := r.store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = blobReader.Close() }()
	content, err := io.ReadAll(io.NewSectionReader(blobReader, 0, blobReader.Size()))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return content, nil
}

func (r *Repository) write(ctx context.Context, key string, content []byte) error {
	w, err := r.store.Create(ctx, key)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(content); err != nil {
		return err
	}
	return w.Commit()
}

// Manifest decrypts the manifest of a backup.
func (r *Repository) Manifest(ctx context.Context, s Snapshot, identities []age.Identity) (Manifest, error) {
	content, err := r.read(ctx, s.prefix()+manifestName)
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	decrypted, err := decrypt(bytes.NewReader(content), identities)
	if err == nil {
		err = json.NewDecoder(decrypted).Decode(&m)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read the manifest of backup %d: %w", s.Number, asDamage(err))
	}
	return m, nil
}

// decrypt returns the plaintext of an age file. It returns ErrIdentity if no private key matches.
func decrypt(from io.Reader, identities []age.Identity) (io.Reader, error) {
	plain, err := age.Decrypt(from, identities...)
	var none *age.NoIdentityMatchError
	if errors.As(err, &none) {
		return nil, ErrIdentity
	}
	return plain, err
}

// asDamage adds ErrDamaged to an error in the content of a blob.
func asDamage(err error) error {
	if err == nil || errors.Is(err, ErrIdentity) || errors.Is(err, ErrDamaged) || errors.Is(err, blob.ErrUnavailable) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// ParseRecipients parses public keys such as "age1…".
func ParseRecipients(keys []string) ([]age.Recipient, error) {
	if len(keys) == 0 {
		return nil, errors.New("no public key is set")
	}
	list := make([]age.Recipient, 0, len(keys))
	for i, key := range keys {
		parsed, err := age.ParseRecipients(strings.NewReader(key))
		if err != nil || len(parsed) != 1 {
			return nil, fmt.Errorf("public key %d is not a key such as age1…", i+1) // it may be a private key
		}
		list = append(list, parsed[0])
	}
	return list, nil
}
