package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

const (
	// ResumableLife is the lifetime of a resumable or direct upload. Then its address expires.
	ResumableLife = 24 * time.Hour
	// resumableMargin is the time between the expiry and the deletion of the file. It is longer than
	// completing an upload takes, so that no file is deleted while it is being accepted.
	resumableMargin = time.Hour
)

// unfinishedUpload is a file that a client sends in other requests than the one that creates the
// upload. An import has at most one. Its key and declared size are in the row of the upload.
type unfinishedUpload struct {
	// Length is the declared size of the file, in bytes.
	Length int64
	// Expires is the time when the upload ends if it is not complete.
	Expires time.Time

	receiver *UploadReceiver
	key      string
	filename string
	// accepted means that the file is complete and belongs to the import.
	accepted bool
}

// insert records the upload in the store, in place of an earlier one.
func (u *unfinishedUpload) insert(ctx context.Context) error {
	s, imp := u.receiver.service, u.receiver.imp
	earlier := ""
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		current, err := tx.Imports.Get(ctx, imp.Org, imp.ID)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := checkUploadable(current); err != nil {
			return err
		}
		if _, err := s.env.CheckLinkUse(ctx, tx, current, u.Length); err != nil {
			return err
		}
		if err := tx.Trash.Schedule(ctx, model.Trash{Prefix: u.key, Due: u.Expires.Add(resumableMargin)}); err != nil {
			return err
		}
		upload, err := tx.Uploads.Get(ctx, imp.Org, imp.UploadID)
		if err == nil {
			err = tx.Uploads.Delete(ctx, imp.Org, imp.UploadID)
		}
		if err := model.IgnoreKind(err, model.NotFound); err != nil {
			return err
		}
		earlier = upload.Raw.Key
		if err := u.reserve(ctx, tx); err != nil {
			return err
		}
		current.Modified = s.env.Now() // the creation time of the upload
		upload = NewUpload(current, u.receiver.schema)
		upload.Raw = model.File{Key: u.key, Size: u.Length}
		upload.Filename = cmp.Or(imp.Filename, u.filename)
		return tx.Uploads.Insert(ctx, upload)
	})
	if err == nil && earlier != "" {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), earlier)
	}
	return err
}

// reserve returns an error if the file, together with the unfinished ones of the organization, would
// exceed the quota. Otherwise, abandoned uploads could occupy any amount of space until they expire.
func (u *unfinishedUpload) reserve(ctx context.Context, tx model.Tx) error {
	s, org := u.receiver.service, u.receiver.imp.Org
	if s.env.Limit(org, model.StoredBytesQuota) <= 0 {
		return nil
	}
	unfinished, err := tx.Uploads.Unfinished(ctx, org, s.env.Now().Add(-ResumableLife-resumableMargin))
	if err != nil {
		return err
	}
	return s.env.CheckQuotas(ctx, tx, org, model.Addition{Quota: model.StoredBytesQuota, N: unfinished + max(u.Length, 1)})
}

// token returns a token that grants permission to continue the upload. g is the grant with which it
// was created. what identifies the upload in the token.
func (u *unfinishedUpload) token(g auth.Grant, what string) (string, error) {
	g.What, g.Expires = what, auth.ExpiryUnix(u.Expires)
	return auth.SignGrant(u.receiver.service.uploadKey, g)
}

// openUnfinished returns the upload that a token refers to. hasKey reports whether a key is that of its
// file. openUnfinished returns NotFound if there is none or if a later one has replaced it, and a
// Conflict if the import has another file.
func (s *Service) openUnfinished(ctx context.Context, g auth.Grant, hasKey func(imp model.Import, key string) bool) (*unfinishedUpload, error) {
	imp, err := s.Import(ctx, g.Org, g.ID)
	if err != nil {
		return nil, err
	}
	u := &unfinishedUpload{Expires: time.Unix(g.Expires, 0).UTC()}
	if hasKey(imp, imp.Raw.Key) {
		u.key, u.Length, u.accepted = imp.Raw.Key, imp.Raw.Size, true
		return u, nil
	}
	if err := checkUploadable(imp); err != nil {
		return nil, err
	}
	if err := s.TouchImport(ctx, &imp); err != nil {
		return nil, err
	}
	upload, err := s.Upload(ctx, imp.Org, imp.UploadID)
	if model.IsKind(err, model.NotFound) || err == nil && !hasKey(imp, upload.Raw.Key) {
		return nil, uploadReplacedError()
	}
	if err != nil {
		return nil, err
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return nil, err
	}
	u.key, u.Length, u.filename = upload.Raw.Key, upload.Raw.Size, upload.Filename
	u.receiver = &UploadReceiver{s.MaxFileSize(schema), s, imp, schema}
	return u, nil
}

// Org returns the organization of the import. It must not be called if the upload is complete.
func (u *unfinishedUpload) Org() string { return u.receiver.imp.Org }

// Complete reports whether the file is complete and belongs to the import.
func (u *unfinishedUpload) Complete() bool { return u.accepted }

// accept computes the digest of the complete file and makes it the file of the import.
func (u *unfinishedUpload) accept(ctx context.Context, file io.ReaderAt) error {
	s := u.receiver.service
	s.env.CrashPoint("upload.stored")
	sum := sha256.New()
	n, err := io.CopyBuffer(sum, io.NewSectionReader(file, 0, u.Length), make([]byte, 256<<10))
	if err == nil && n < u.Length {
		err = io.ErrUnexpectedEOF // the file was deleted
	}
	if err != nil {
		return u.unlessGone(ctx, fmt.Errorf("read an uploaded file: %w", err))
	}
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	err = u.receiver.accept(ctx, u.key, u.filename, model.StoredFile{Size: u.Length, SHA256: sum.Sum(nil)}, true)
	if err != nil {
		if imp, failure := s.Import(ctx, u.receiver.imp.Org, u.receiver.imp.ID); failure == nil && imp.Raw.Key == u.key {
			err = nil // another request has completed the upload
		}
	}
	if err != nil {
		if model.IsRolledBack(err) {
			u.discard(ctx)
		}
		return err
	}
	u.accepted = true
	s.env.CrashPoint("upload.accepted")
	return nil
}

// discard deletes an upload whose file was refused, so that clients do not send the file again.
func (u *unfinishedUpload) discard(ctx context.Context) {
	s, imp := u.receiver.service, u.receiver.imp
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		upload, err := tx.Uploads.Get(ctx, imp.Org, imp.UploadID)
		if err != nil || upload.Raw.Key != u.key {
			return model.IgnoreKind(err, model.NotFound)
		}
		upload.Raw = model.File{}
		return tx.Uploads.Save(ctx, upload)
	})
	if err != nil {
		s.env.Log.WarnContext(ctx, "a refused upload was not discarded", "import", imp.ID, "error", err)
	}
	s.env.DiscardBlobs(ctx, u.key)
}

// uploadReplacedError returns the error for an upload that does not exist, or that a later one has
// replaced.
func uploadReplacedError() error {
	return model.NotFoundError(intray.NewMessage("upload.not_created", nil))
}

// unlessGone returns err, or the reason why the upload no longer exists if it was deleted with its
// import or replaced.
func (u *unfinishedUpload) unlessGone(ctx context.Context, err error) error {
	var known *model.Error
	if errors.As(err, &known) {
		return err
	}
	s, imp := u.receiver.service, u.receiver.imp
	imp, gone := s.Import(ctx, imp.Org, imp.ID)
	if gone == nil {
		gone = checkUploadable(imp)
	}
	if gone == nil {
		var upload model.Upload
		if upload, gone = s.Upload(ctx, imp.Org, imp.UploadID); gone == nil && upload.Raw.Key != u.key {
			gone = uploadReplacedError()
		}
	}
	var reason *model.Error
	if errors.As(gone, &reason) {
		return gone
	}
	return describeInUse(err)
}
