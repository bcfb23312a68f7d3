package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/integrity"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/sqlstore"
)

// checkMove returns an error if a move prevents this process from using the database.
func (c *Config) checkMove(ctx context.Context, rows *sqlstore.Store) error {
	err := rows.CheckMove(ctx)
	switch {
	case errors.Is(err, sqlstore.ErrMoving) && c.moves:
		return nil
	case errors.Is(err, sqlstore.ErrMoving):
		return fmt.Errorf("%w; run intray move again with the same settings", err)
	case errors.Is(err, sqlstore.ErrMoved):
		return fmt.Errorf("%w; use --database-url and, if the files were moved too, --blob-url. "+
			"If the move was interrupted and you want to give it up, run intray move --cancel", err)
	}
	return err
}

// MoveOptions configure Move.
type MoveOptions struct {
	// Progress is called after each step, with the number of files or rows so far. Calls are sequential. It
	// may be nil.
	Progress func(what string, n int64)
	// Verify configures the verification of the moved files.
	Verify integrity.Options
}

// Move moves the SQLite database of a data folder to the PostgreSQL database of the configuration, and the
// files to its bucket, if there is one. No server may be running. The database and the bucket must be empty, or
// an interrupted move of the same data folder must have begun to fill them. Until the move is complete, no
// server uses the target, and from the beginning, none uses the SQLite database. Move compares all rows, and
// verifies all files after they were moved. The data folder keeps its files. Damage is not an error.
func Move(ctx context.Context, cfg Config, options MoveOptions) (sum integrity.Summary, err error) {
	ctx = model.AcrossOrgs(ctx)
	if cfg.DatabaseURL == "" {
		return sum, usageErrorf("--database-url is required: the PostgreSQL database to move to")
	}
	if err := cfg.checkStore(); err != nil {
		return sum, err
	}
	if options.Progress == nil {
		options.Progress = func(string, int64) {}
	}
	source, closeSource, err := openMoveSource(ctx, cfg)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	if err := source.move(ctx, cfg, options); err != nil {
		return sum, err
	}
	cfg.moves, cfg.deletesFiles = true, true
	p, err := open(ctx, cfg, nil, nil)
	if err != nil {
		return sum, fmt.Errorf("open the moved data: %w", err)
	}
	sum, err = p.service.Verify(ctx, options.Verify)
	if err == nil {
		err = p.store.EndMove(ctx)
	}
	return sum, errors.Join(err, p.close())
}

// CancelMove lets servers use the data folder again, although a move of it is not complete.
func CancelMove(ctx context.Context, cfg Config) (err error) {
	source, closeSource, err := openMoveSource(model.AcrossOrgs(ctx), cfg)
	if err != nil {
		return err
	}
	return errors.Join(source.rows.CancelMove(ctx), closeSource())
}

// moveSource is a data folder that is being moved.
type moveSource struct {
	rows  *sqlstore.Store
	blobs *disk.Store
}

// openMoveSource opens and locks the data folder.
func openMoveSource(ctx context.Context, cfg Config) (source moveSource, closeAll func() error, err error) {
	cfg.DatabaseURL, cfg.BlobURL = "", ""
	if err := cfg.checkStoreExists(); err != nil {
		return source, nil, err
	}
	lock, err := lockFolder(cfg.Data)
	if err != nil {
		return source, nil, err
	}
	if source.blobs, err = disk.Open(cfg.blobDir(), disk.Config{}); err != nil {
		return source, nil, errors.Join(fmt.Errorf("open the blobs: %w", err), lock.unlock())
	}
	if source.rows, err = openStore(ctx, cfg, ""); err != nil {
		return source, nil, errors.Join(err, source.blobs.Close(), lock.unlock())
	}
	closeAll = func() error { return errors.Join(source.rows.Close(), source.blobs.Close(), lock.unlock()) }
	if err := retention.CheckFingerprint(ctx, source.rows, source.blobs); err != nil {
		return source, nil, errors.Join(cfg.explainFingerprint(err), closeAll())
	}
	if _, err := openKeyring(ctx, cfg, source.rows); err != nil {
		return source, nil, errors.Join(err, closeAll())
	}
	return source, closeAll, nil
}

// move copies the files and the rows.
func (s moveSource) move(ctx context.Context, cfg Config, options MoveOptions) error {
	id, err := retention.ReadFingerprint(ctx, s.blobs)
	if err != nil {
		return err
	}
	target, err := openStore(ctx, cfg, "")
	if err != nil {
		return err
	}
	defer func() { _ = target.Close() }()
	var files closableBlobs
	if cfg.BlobURL != "" {
		if files, err = openBlobs(ctx, cfg); err != nil {
			return err
		}
		defer func() { _ = files.Close() }()
		if err := checkMoveTarget(ctx, files, id); err != nil {
			return err
		}
	}
	if err := s.rows.BeginMove(ctx, target, id, cfg.describeStores()); err != nil {
		return explainMoveError(err)
	}
	if files != nil {
		if err := s.copyFiles(ctx, files, func(n int64) { options.Progress("files", n) }); err != nil {
			return fmt.Errorf("move the files: %w", err)
		}
	}
	return s.rows.MoveTo(ctx, target, options.Progress)
}

// describeStores names the database and the bucket, without passwords.
func (c *Config) describeStores() string {
	if c.BlobURL == "" {
		return c.databaseName()
	}
	return c.databaseName() + " and " + c.BlobURL
}

func explainMoveError(err error) error {
	switch {
	case errors.Is(err, sqlstore.ErrNotEmpty):
		return UsageError{fmt.Errorf("%w; create a new database for --database-url", err)}
	case errors.Is(err, sqlstore.ErrMoved):
		return UsageError{fmt.Errorf("%w; if that move was interrupted, run it again with the same settings, or give it up with intray move --cancel", err)}
	}
	return err
}

// checkMoveTarget returns an error unless a bucket is empty or contains files of the same installation. It
// marks an empty bucket with the fingerprint of the installation.
func checkMoveTarget(ctx context.Context, files blob.Store, id string) error {
	found, err := retention.ReadFingerprint(ctx, files)
	switch {
	case err != nil || found == id:
		return err
	case found != "":
		return usageErrorf("the bucket contains the files of another installation; use another prefix for --blob-url")
	}
	if lister, ok := files.(blob.Lister); ok {
		for entry, err := range lister.List(ctx) {
			if err != nil {
				return err
			}
			return usageErrorf("the bucket is not empty: it contains %s; use another prefix for --blob-url", entry.Key)
		}
	}
	return retention.WriteFingerprint(ctx, files, id)
}

// moveWorkers is the maximum number of files that are copied at the same time.
const moveWorkers = 8

// copyFiles copies all files that the target does not contain.
func (s moveSource) copyFiles(ctx context.Context, to blob.Store, progress func(n int64)) error {
	sizes := map[string]int64{}
	if lister, ok := to.(blob.Lister); ok {
		for entry, err := range lister.List(ctx) {
			if err != nil {
				return err
			}
			sizes[entry.Key] = entry.Size
		}
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(moveWorkers)
	n := int64(0)
	for entry, err := range s.blobs.List(ctx) {
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		if inGroup.Err() != nil {
			break
		}
		n++
		progress(n)
		if size, exists := sizes[entry.Key]; exists && size == entry.Size {
			continue
		}
		group.Go(func() error { return s.copyFile(inGroup, to, entry.Key) })
	}
	return errors.Join(group.Wait(), ctx.Err())
}

// copyFile copies a file. A file that is being received remains one that can be continued.
func (s moveSource) copyFile(ctx context.Context, to blob.Store, key string) error {
	r, err := s.blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	unfinished, err := s.isUnfinished(ctx, key)
	if err != nil {
		return err
	}
	if unfinished {
		return continueFile(ctx, to, key, r)
	}
	w, err := to.Create(ctx, key)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, io.NewSectionReader(r, 0, r.Size())); err != nil {
		return fmt.Errorf("copy the file %s: %w", key, err)
	}
	return w.Commit()
}

// isUnfinished reports whether a file may still be received: whether its import has not begun to run.
func (s moveSource) isUnfinished(ctx context.Context, key string) (bool, error) {
	parts := strings.Split(key, "/")
	if len(parts) < 3 || parts[0] != "imports" {
		return false, nil
	}
	run, err := model.View(ctx, s.rows, func(tx model.Tx) (int, error) { return tx.Owners.Run(ctx, parts[1]) })
	return run == 0, err
}

// continueFile appends to the target what it lacks of a file.
func continueFile(ctx context.Context, to blob.Store, key string, from blob.Reader) error {
	w, err := to.Append(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	if w.Size() > from.Size() {
		if err := w.Truncate(0); err != nil {
			return err
		}
	}
	rest := io.NewSectionReader(from, w.Size(), from.Size()-w.Size())
	if _, err := io.Copy(w, rest); err != nil {
		return fmt.Errorf("copy the file %s: %w", key, err)
	}
	return w.Sync()
}
