package service

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"

	"github.com/intraydata/intray"
)

// Receiving is an upload that was let in and may send its bytes.
type Receiving struct {
	// MaxSize is the most bytes that are taken.
	MaxSize int64

	service *Service
	imp     Import
	schema  *intray.Schema
}

// Incoming is the file of an upload.
type Incoming struct {
	Body io.Reader
	// Length is how long the sender says the file is; -1 where he does not.
	Length int64
	// Filename is the name in the sender's form, or "".
	Filename string
	// MD5 and SHA256 are the digests that the sender gave; nil where none.
	MD5, SHA256 []byte
}

// Receipt tells what was received.
type Receipt struct {
	Size int64
	MD5  string
}

// BeginUpload opens the address that UploadToken signed. length is the size
// that the sender declares, -1 where he does not.
func (s *Service) BeginUpload(ctx context.Context, id, token string, length int64) (*Receiving, error) {
	g, err := s.verify(s.keys.upload, token, uploadLink)
	if err != nil {
		return nil, err
	}
	if g.ID != id {
		return nil, altered(uploadLink)
	}
	imp, err := s.Import(ctx, g.Org, id)
	if err != nil {
		return nil, err
	}
	if err := imp.takesUpload(); err != nil {
		return nil, err
	}
	schema, err := s.FrozenSchema(imp)
	if err != nil {
		return nil, err
	}
	r := &Receiving{min(schema.Settings.MaxFileSize, s.cfg.MaxFileSize), s, imp, schema}
	if length > r.MaxSize {
		return nil, r.tooLarge()
	}
	return r, nil
}

func (imp Import) takesUpload() error {
	switch {
	case imp.Inline:
		return refuse(Conflict, "upload_not_expected", intray.NewMessage("upload.not_expected", nil))
	case imp.Status != AwaitingUpload:
		return refuse(Conflict, "already_uploaded", intray.NewMessage("upload.already_there", nil))
	}
	return nil
}

func (r *Receiving) tooLarge() error {
	if r.service == nil {
		return refuse(TooLarge, "file_too_large", intray.NewMessage("file.too_large_for_service", intray.Params{"size": r.MaxSize}))
	}
	return refuse(TooLarge, "file_too_large", intray.NewMessage("file.too_large_for_import", intray.Params{"size": r.MaxSize}))
}

// Receive takes the bytes in. When it returns without an error they are
// durable and the import is Pending; else the import awaits an upload as
// before.
func (r *Receiving) Receive(ctx context.Context, in Incoming) (Receipt, error) {
	if err := checkFilename("filename", in.Filename); err != nil {
		return Receipt{}, err
	}
	s := r.service
	attempt, err := s.newID()
	if err != nil {
		return Receipt{}, err
	}
	key := r.imp.rawKey(attempt)
	if err := r.announce(ctx, key); err != nil {
		return Receipt{}, err
	}
	// One byte more than allowed shows that the file is too large.
	body := io.LimitReader(in.Body, r.MaxSize+1)
	done, err := s.storeFile(ctx, key, body, func(d stored) error { return r.approve(in, d) })
	if err != nil {
		s.empty(context.WithoutCancel(ctx), key)
		return Receipt{}, r.orDeleted(ctx, err)
	}
	s.cfg.Reach("upload.stored")
	ctx, cancel := accepting(ctx)
	defer cancel()
	if err := r.accept(ctx, key, in.Filename, done); err != nil {
		if settled(err) { // else the trash finds out whether the file counts
			s.empty(context.WithoutCancel(ctx), key)
		}
		return Receipt{}, err
	}
	s.cfg.Reach("upload.accepted")
	return Receipt{done.size, hex.EncodeToString(done.md5)}, nil
}

// orDeleted tells of a deleted import in place of the trouble that its deletion
// made.
func (r *Receiving) orDeleted(ctx context.Context, err error) error {
	if _, gone := r.service.Import(ctx, r.imp.Org, r.imp.ID); IsKind(gone, NotFound) {
		return gone
	}
	return err
}

// announce makes the upload's row when its first byte arrives.
func (r *Receiving) announce(ctx context.Context, key string) error {
	s := r.service
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		if _, err := tx.Imports.Get(ctx, r.imp.Org, r.imp.ID); err != nil {
			return named(err, importMissing)
		}
		if err := tx.Trash.Add(ctx, Trash{Prefix: key, Due: s.now().Add(guardFor)}); err != nil {
			return err
		}
		_, err := tx.Uploads.Get(ctx, r.imp.Org, r.imp.UploadID)
		if !IsKind(err, NotFound) {
			return err
		}
		begun := r.imp
		begun.Modified = s.now()
		return tx.Uploads.Insert(ctx, newUpload(begun, r.schema))
	})
}

// approve holds what arrived against what was declared.
func (r *Receiving) approve(in Incoming, d stored) error {
	switch {
	case d.size > r.MaxSize:
		return r.tooLarge()
	case d.took > receiveWithin:
		return refuse(Invalid, "too_slow", intray.NewMessage("file.too_slow", intray.Params{"n": int(receiveWithin.Hours())}))
	case in.Length >= 0 && d.size != in.Length:
		return refuse(Invalid, "body_too_short", intray.NewMessage("file.body_too_short", intray.Params{"size": d.size, "length": in.Length}))
	case in.MD5 != nil && !bytes.Equal(in.MD5, d.md5):
		return refuse(Invalid, "digest_mismatch", intray.NewMessage("file.md5_mismatch", nil))
	case in.SHA256 != nil && !bytes.Equal(in.SHA256, d.sha256):
		return refuse(Invalid, "digest_mismatch", intray.NewMessage("file.sha256_mismatch", nil))
	}
	return nil
}

// accept makes the file the import's own and queues the import.
func (r *Receiving) accept(ctx context.Context, key, filename string, d stored) error {
	s := r.service
	return s.cfg.Store.Update(ctx, func(tx Tx) error {
		imp, err := tx.Imports.Get(ctx, r.imp.Org, r.imp.ID)
		if err != nil {
			return named(err, importMissing)
		}
		if err := imp.takesUpload(); err != nil {
			return err
		}
		if imp.Filename == "" {
			imp.Filename = filename
		}
		imp.Raw = File{Key: key, Size: d.size, SHA256: hex.EncodeToString(d.sha256)}
		if err := tx.Trash.Remove(ctx, key); err != nil {
			return err
		}
		if err := s.move(ctx, tx, &imp, Pending); err != nil {
			return err
		}
		return wake(ctx, tx)
	})
}

// IsShort says whether err means that the sender stopped before the end.
func IsShort(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
