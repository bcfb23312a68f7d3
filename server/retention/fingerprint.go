package retention

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// fingerprintKey is the blob by which a process sees that it has the blobs that belong
// to the store: both hold the same random name.
const fingerprintKey = "anchor"

var (
	errOtherBlobs = errors.New("the files of this database are not in this data folder: give all processes that share a database the same blobs folder, or put the right one back")
	errOtherStore = errors.New("the files in this data folder belong to another database: put that database back (intray.db), or begin with an empty data folder")
)

// VerifyStoreFingerprint makes sure that the store's files are among the blobs that this
// process sees: where several processes share a database, they must share the
// blobs as well, or each would take the files of the others for deleted. The
// first process to come names both.
func (s *Service) VerifyStoreFingerprint(ctx context.Context) error {
	held, err := s.readFingerprint(ctx)
	if err != nil {
		return fmt.Errorf("look for the anchor: %w", err)
	}
	if held != "" {
		return s.compareFingerprint(ctx, held)
	}
	lot, err := s.env.RandomText(12)
	if err != nil {
		return err
	}
	folder, _, _ := strings.Cut(s.env.Node, "/")
	fresh := folder + "/" + lot
	var mark string
	err = s.env.Store.Update(ctx, func(tx model.Tx) (err error) {
		mark, err = tx.Nodes.EnsureMark(ctx, fingerprintKey, fresh)
		return err
	})
	if err != nil {
		return err
	}
	// The one that gave the name may have ended before it laid the anchor.
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

func (s *Service) compareFingerprint(ctx context.Context, held string) error {
	var mark string
	err := s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		mark, err = tx.Nodes.EnsureMark(ctx, fingerprintKey, "")
		return err
	})
	switch {
	case err != nil:
		return err
	case mark == "":
		return errOtherStore
	case mark != held:
		return errOtherBlobs
	}
	return nil
}

// readFingerprint gives "" where there is none.
func (s *Service) readFingerprint(ctx context.Context) (string, error) {
	r, err := s.env.Blobs.Open(ctx, fingerprintKey)
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
	w, err := s.env.Blobs.Create(ctx, fingerprintKey)
	if err != nil {
		return fmt.Errorf("lay the anchor: %w", err)
	}
	defer w.Abort()
	if _, err := io.WriteString(w, name); err != nil {
		return fmt.Errorf("lay the anchor: %w", err)
	}
	return w.Commit()
}

// hasNoImports says whether no organization has an import.
func (s *Service) hasNoImports(ctx context.Context) (bool, error) {
	imports := int64(0)
	err := s.env.Store.View(ctx, func(tx model.Tx) error {
		orgs, err := tx.Accounts.Orgs(ctx)
		if err != nil {
			return err
		}
		imports = 0
		for _, org := range orgs {
			_, total, err := tx.Imports.List(ctx, org.ID, 0, 1)
			if err != nil {
				return err
			}
			imports += total
		}
		return nil
	})
	return imports == 0, err
}
