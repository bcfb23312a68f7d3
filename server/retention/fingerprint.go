package retention

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

var (
	errOtherBlobs = errors.New("the files of this database are not in this data folder: give all processes that share a database the same blobs folder, or restore the right one")
	errOtherStore = errors.New("the files in this data folder belong to another database: restore that database (intray.db), or start with an empty data folder")
)

// VerifyStoreFingerprint returns an error if the blobs do not belong to the store.
// Processes that share a database must also share the blobs. Otherwise, each process
// would delete the blobs of the other processes as orphans. The first process writes
// the fingerprint to both the store and the blobs.
func (s *Service) VerifyStoreFingerprint(ctx context.Context) error {
	found, err := s.readFingerprint(ctx)
	if err != nil {
		return fmt.Errorf("read the fingerprint: %w", err)
	}
	if found != "" {
		mark, err := model.View(ctx, s.env.Store, func(tx model.Tx) (string, error) { return tx.Nodes.EnsureMark(ctx, model.FingerprintKey, "") })
		switch {
		case err != nil:
			return err
		case mark == "":
			return errOtherStore
		case mark != found:
			return errOtherBlobs
		}
		return nil
	}
	random, err := s.env.RandomText(12)
	if err != nil {
		return err
	}
	folder, _, _ := strings.Cut(s.env.Node, "/")
	fresh := folder + "/" + random
	var mark string
	err = s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		mark, err = tx.Nodes.EnsureMark(ctx, model.FingerprintKey, fresh)
		return err
	})
	if err != nil {
		return err
	}
	// The process that set the mark may have ended before it wrote the blob.
	unused, err := s.hasNoImports(ctx)
	if err != nil {
		return err
	}
	own := mark == fresh || unused && strings.HasPrefix(mark, folder+"/")
	if !own {
		return errOtherBlobs
	}
	return s.writeFingerprint(ctx, mark)
}

// readFingerprint returns the fingerprint that is stored with the blobs, or "" if there is none.
func (s *Service) readFingerprint(ctx context.Context) (string, error) {
	r, err := s.env.Blobs.Open(ctx, model.FingerprintKey)
	if errors.Is(err, blob.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }()
	text, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	return string(text), err
}

func (s *Service) writeFingerprint(ctx context.Context, name string) error {
	w, err := s.env.Blobs.Create(ctx, model.FingerprintKey)
	if err != nil {
		return fmt.Errorf("write the fingerprint: %w", err)
	}
	defer w.Abort()
	if _, err := io.WriteString(w, name); err != nil {
		return fmt.Errorf("write the fingerprint: %w", err)
	}
	return w.Commit()
}

// hasNoImports reports whether the store has no imports in any organization.
func (s *Service) hasNoImports(ctx context.Context) (bool, error) {
	usages, err := model.Get(ctx, s.env.Store, func(tx model.Tx) ([]model.Usage, error) { return tx.Usage.List(ctx) })
	return !slices.ContainsFunc(usages, func(u model.Usage) bool { return u.Imports() > 0 }), err
}
