package imports

import (
	"context"
	"errors"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// DirectLife is how long the presigned request of a direct upload can begin.
const DirectLife = 15 * time.Minute

// directGrant identifies a direct upload in a token.
const directGrant = "direct"

// DirectUpload is a file that the client sends to the blob store with a presigned request. It belongs
// to the import once the client has committed it. The store accepts the request only once, so nothing
// can change the file after that.
type DirectUpload struct {
	unfinishedUpload
}

// AllowsDirect reports whether CreateDirect can be used for an import. Nothing of an ephemeral import
// may remain, but a request to the store that ends after the import was deleted stores its file for a day.
func (s *Service) AllowsDirect(imp model.Import) bool {
	return s.cfg.Direct != nil && !imp.IsEphemeral()
}

// CreateDirect starts a direct upload of a file of the given length, which must be at least 1. g is the
// grant in a token from UploadToken. CreateDirect discards an earlier upload that is not complete. The
// client must send put within 15 minutes, and then call Commit with the returned token.
func (s *Service) CreateDirect(ctx context.Context, g auth.Grant, length int64, filename string) (u *DirectUpload, token string, put blob.PresignedPut, err error) {
	if g.What != "" { // the address of an upload that has been created
		return nil, "", put, auth.AlteredError(uploadLink)
	}
	if err := checkFilename("filename", filename); err != nil {
		return nil, "", put, err
	}
	receiver, err := s.beginUpload(ctx, g, length)
	if err != nil {
		return nil, "", put, err
	}
	if !s.AllowsDirect(receiver.imp) {
		return nil, "", put, noDirectUploads()
	}
	u = &DirectUpload{unfinishedUpload{Length: length, Expires: s.env.Now().Add(ResumableLife), receiver: receiver, key: receiver.imp.DirectKey(), filename: filename}}
	if err := u.insert(ctx); err != nil {
		return nil, "", put, err
	}
	if put, err = s.cfg.Direct.PresignPut(ctx, u.key, length, DirectLife); err != nil {
		return nil, "", put, err
	}
	token, err = u.token(g, directGrant)
	return u, token, put, err
}

// OpenDirect returns the upload that a grant from CreateDirect refers to. It returns NotFound if there
// is none or if another one has replaced it, and a Conflict if the import has another file.
func (s *Service) OpenDirect(ctx context.Context, g auth.Grant) (*DirectUpload, error) {
	if s.cfg.Direct == nil {
		return nil, noDirectUploads()
	}
	if g.What != directGrant {
		return nil, uploadReplacedError()
	}
	u, err := s.openUnfinished(ctx, g, func(imp model.Import, key string) bool { return key == imp.DirectKey() })
	if err != nil {
		return nil, err
	}
	return &DirectUpload{*u}, nil
}

// Commit makes the stored file the file of the import. etag is what the store returned to the client. If
// Commit returns nil, the import is Pending. It can be called again. It returns a Conflict if the store
// has no file, or one with another ETag or size.
func (u *DirectUpload) Commit(ctx context.Context, etag string) error {
	if u.accepted {
		return nil
	}
	s := u.receiver.service
	if err := s.env.CheckRoom(); err != nil {
		return err
	}
	file, err := s.cfg.Direct.OpenVersion(ctx, u.key, etag)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return model.NewError(model.Conflict, "not_stored", intray.NewMessage("upload.not_stored", nil))
	case errors.Is(err, blob.ErrOtherVersion):
		return model.NewError(model.Conflict, "wrong_etag", intray.NewMessage("upload.wrong_etag", nil))
	case err != nil:
		return err
	}
	defer func() { _ = file.Close() }()
	if file.Size() != u.Length { // another request of the same import stored it
		return model.NewError(model.Conflict, "wrong_size", intray.NewMessage("upload.wrong_size", intray.Params{"size": file.Size(), "length": u.Length}))
	}
	return u.accept(ctx, file)
}

func noDirectUploads() error {
	return model.NewError(model.Conflict, "no_direct_uploads", intray.NewMessage("upload.no_direct_uploads", nil))
}
