package retention

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

var (
	// ErrOtherBlobs means that the blobs of the store are elsewhere.
	ErrOtherBlobs = errors.New("the blobs do not belong to the store")
	// ErrOtherStore means that the store is new, and that the blobs belong to a different one.
	ErrOtherStore = errors.New("the blobs belong to a different store")
	// ErrNoFingerprint means that neither the store nor the blobs have a fingerprint.
	ErrNoFingerprint = errors.New("no process has served from the store")
)

// CheckFingerprint returns ErrOtherBlobs, ErrOtherStore or ErrNoFingerprint unless the blobs belong
// to the store. It writes nothing. A process that deletes blobs without serving must call it first:
// to that process, all blobs of a different store are orphans.
func CheckFingerprint(ctx context.Context, store model.Store, blobs blob.Store) error {
	found, err := ReadFingerprint(ctx, blobs)
	if err != nil {
		return fmt.Errorf("read the fingerprint: %w", err)
	}
	mark, err := model.View(ctx, store, func(tx model.Tx) (string, error) { return tx.Nodes.EnsureMark(ctx, model.FingerprintKey, "") })
	switch {
	case err != nil:
		return err
	case mark == "" && found == "":
		return ErrNoFingerprint
	case mark == "":
		return ErrOtherStore
	case mark != found:
		return ErrOtherBlobs
	}
	return nil
}

// VerifyStoreFingerprint is like CheckFingerprint, but creates a missing fingerprint.
// Processes that share a database must also share the blobs. Otherwise, each process
// would delete the blobs of the other processes as orphans. The first process writes
// the fingerprint to the store and then to the blobs. Processes that start at the same time
// wait up to 5 s for it.
func (s *Service) VerifyStoreFingerprint(ctx context.Context) error {
	found, err := ReadFingerprint(ctx, s.env.Blobs)
	if err != nil {
		return fmt.Errorf("read the fingerprint: %w", err)
	}
	if found != "" {
		return CheckFingerprint(ctx, s.env.Store, s.env.Blobs)
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
	unused, err := s.hasNoImports(ctx)
	if err != nil {
		return err
	}
	switch {
	case mark == fresh, unused && strings.HasPrefix(mark, folder+"/"):
		// The process that set the mark may have ended before it wrote the blob.
		return WriteFingerprint(ctx, s.env.Blobs, mark)
	case unused:
		// The process that set the mark may be about to write the blob.
		if err := s.awaitFingerprint(ctx); err != nil {
			return err
		}
	}
	return CheckFingerprint(ctx, s.env.Store, s.env.Blobs)
}

const (
	// firstStartLimit is how long a process waits for another one to write the fingerprint. Usually,
	// that takes milliseconds.
	firstStartLimit = 5 * time.Second
	// firstStartPoll is the time between two attempts to read it.
	firstStartPoll = 50 * time.Millisecond
)

// awaitFingerprint waits until the blobs have a fingerprint, but not longer than firstStartLimit.
func (s *Service) awaitFingerprint(ctx context.Context) error {
	limit := time.NewTimer(firstStartLimit)
	defer limit.Stop()
	poll := time.NewTicker(firstStartPoll)
	defer poll.Stop()
	for {
		found, err := ReadFingerprint(ctx, s.env.Blobs)
		if err != nil {
			return fmt.Errorf("read the fingerprint: %w", err)
		}
		if found != "" {
			return nil
		}
		select {
		case <-poll.C:
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ReadFingerprint returns the fingerprint that is stored with the blobs, or "" if there is none.
func ReadFingerprint(ctx context.Context, blobs blob.Store) (string, error) {
	r, err := blobs.Open(ctx, model.FingerprintKey)
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

// WriteFingerprint stores a fingerprint with the blobs.
func WriteFingerprint(ctx context.Context, blobs blob.Store, name string) error {
	w, err := blobs.Create(ctx, model.FingerprintKey)
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
