package imports

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
	"github.com/intraydata/intray/server/staging"
)

// What the addresses of uploads and downloads are called.
var (
	downloadLink = intray.NewMessage("link.download_url", nil)
	uploadLink   = intray.NewMessage("link.upload_url", nil)
)

// receiveWithin is how long a file may take to arrive. It ends well before
// GuardFor, so that no file is removed at the moment it is accepted.
const receiveWithin = 20 * time.Hour

// UploadReceiver is an upload that was let in and may send its bytes.
type UploadReceiver struct {
	// MaxSize is the most bytes that are taken.
	MaxSize int64

	service *Service
	imp     model.Import
	schema  *intray.Schema
}

// IncomingFile is the file of an upload.
type IncomingFile struct {
	Body io.Reader
	// Length is how long the sender says the file is; -1 where he does not.
	Length int64
	// Filename is the name in the sender's form, or "".
	Filename string
	// MD5 and SHA256 are the digests that the sender gave; nil where none.
	MD5, SHA256 []byte
}

// UploadReceipt tells what was received.
type UploadReceipt struct {
	Size int64
	MD5  string
}

// BeginUpload opens the address that UploadToken signed. length is the size
// that the sender declares, -1 where he does not.
func (s *Service) BeginUpload(ctx context.Context, id, token string, length int64) (*UploadReceiver, error) {
	g, err := auth.VerifyGrant(s.uploadKey, token, uploadLink, s.env.Now())
	if err != nil {
		return nil, err
	}
	if g.ID != id {
		return nil, auth.AlteredError(uploadLink)
	}
	imp, err := s.Import(ctx, g.Org, id)
	if err != nil {
		return nil, err
	}
	if err := takesUpload(imp); err != nil {
		return nil, err
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return nil, err
	}
	r := &UploadReceiver{min(schema.Settings.MaxFileSize, s.cfg.MaxFileSize), s, imp, schema}
	if length > r.MaxSize {
		return nil, r.tooLarge()
	}
	return r, nil
}

func takesUpload(imp model.Import) error {
	switch {
	case imp.Inline:
		return model.NewError(model.Conflict, "upload_not_expected", intray.NewMessage("upload.not_expected", nil))
	case imp.Status != model.AwaitingUpload:
		return model.NewError(model.Conflict, "already_uploaded", intray.NewMessage("upload.already_there", nil))
	}
	return nil
}

func (r *UploadReceiver) tooLarge() error {
	if r.service == nil {
		return model.NewError(model.TooLarge, "file_too_large", intray.NewMessage("file.too_large_for_service", intray.Params{"size": r.MaxSize}))
	}
	return model.NewError(model.TooLarge, "file_too_large", intray.NewMessage("file.too_large_for_import", intray.Params{"size": r.MaxSize}))
}

// Receive takes the bytes in. When it returns without an error they are
// durable and the import is Pending; else the import awaits an upload as
// before.
func (r *UploadReceiver) Receive(ctx context.Context, in IncomingFile) (UploadReceipt, error) {
	if err := checkFilename("filename", in.Filename); err != nil {
		return UploadReceipt{}, err
	}
	s := r.service
	attempt, err := s.env.NewID()
	if err != nil {
		return UploadReceipt{}, err
	}
	key := r.imp.RawKey(attempt)
	if err := r.insertUpload(ctx, key); err != nil {
		return UploadReceipt{}, err
	}
	// One byte more than allowed shows that the file is too large.
	body := io.LimitReader(in.Body, r.MaxSize+1)
	done, err := s.env.StoreFile(ctx, key, body, func(d model.StoredFile) error { return r.verify(in, d) })
	if err != nil {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		return UploadReceipt{}, r.orDeleted(ctx, err)
	}
	s.env.CrashPoint("upload.stored")
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	if err := r.accept(ctx, key, in.Filename, done); err != nil {
		if model.IsRolledBack(err) { // else the trash finds out whether the file counts
			s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		}
		return UploadReceipt{}, err
	}
	s.env.CrashPoint("upload.accepted")
	return UploadReceipt{done.Size, hex.EncodeToString(done.MD5)}, nil
}

// orDeleted tells of a deleted import in place of the trouble that its deletion
// made.
func (r *UploadReceiver) orDeleted(ctx context.Context, err error) error {
	if _, gone := r.service.Import(ctx, r.imp.Org, r.imp.ID); model.IsKind(gone, model.NotFound) {
		return gone
	}
	return err
}

// insertUpload makes the upload's row when its first byte arrives.
func (r *UploadReceiver) insertUpload(ctx context.Context, key string) error {
	s := r.service
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		if _, err := tx.Imports.Get(ctx, r.imp.Org, r.imp.ID); err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := tx.Trash.Schedule(ctx, model.Trash{Prefix: key, Due: s.env.Now().Add(model.GuardFor)}); err != nil {
			return err
		}
		_, err := tx.Uploads.Get(ctx, r.imp.Org, r.imp.UploadID)
		if !model.IsKind(err, model.NotFound) {
			return err
		}
		begun := r.imp
		begun.Modified = s.env.Now()
		return tx.Uploads.Insert(ctx, NewUpload(begun, r.schema))
	})
}

// verify holds what arrived against what was declared.
func (r *UploadReceiver) verify(in IncomingFile, d model.StoredFile) error {
	switch {
	case d.Size > r.MaxSize:
		return r.tooLarge()
	case d.Took > receiveWithin:
		return model.NewError(model.Invalid, "too_slow", intray.NewMessage("file.too_slow", intray.Params{"n": int(receiveWithin.Hours())}))
	case in.Length >= 0 && d.Size != in.Length:
		return model.NewError(model.Invalid, "body_too_short", intray.NewMessage("file.body_too_short", intray.Params{"size": d.Size, "length": in.Length}))
	case in.MD5 != nil && !bytes.Equal(in.MD5, d.MD5):
		return model.NewError(model.Invalid, "digest_mismatch", intray.NewMessage("file.md5_mismatch", nil))
	case in.SHA256 != nil && !bytes.Equal(in.SHA256, d.SHA256):
		return model.NewError(model.Invalid, "digest_mismatch", intray.NewMessage("file.sha256_mismatch", nil))
	}
	return nil
}

// accept makes the file the import's own and queues the import.
func (r *UploadReceiver) accept(ctx context.Context, key, filename string, d model.StoredFile) error {
	s := r.service
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		imp, err := tx.Imports.Get(ctx, r.imp.Org, r.imp.ID)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := takesUpload(imp); err != nil {
			return err
		}
		if imp.Filename == "" {
			imp.Filename = filename
		}
		imp.Raw = model.File{Key: key, Size: d.Size, SHA256: hex.EncodeToString(d.SHA256)}
		if err := tx.Trash.Remove(ctx, key); err != nil {
			return err
		}
		if err := s.Transition(ctx, tx, &imp, model.Pending); err != nil {
			return err
		}
		return model.EnqueueRun(ctx, tx)
	})
}

// IsShort says whether err means that the sender stopped before the end.
func IsShort(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// MaxUploads is the most uploads that one list holds.
const MaxUploads = 10000

// Upload gives an upload, whatever its status.
func (s *Service) Upload(ctx context.Context, org, id string) (u model.Upload, err error) {
	err = s.env.Store.View(ctx, func(tx model.Tx) (err error) {
		u, err = tx.Uploads.Get(ctx, org, id)
		return err
	})
	return u, model.DescribeNotFound(err, model.UploadMissing)
}

// Uploads shows the processed uploads to use: how many the filter leaves, and
// those from place start up to, not including, end. They are read as they are
// used, and are gone when use returns.
func (s *Service) Uploads(ctx context.Context, org string, f model.UploadFilter, start, end int64, use func(total int64, list iter.Seq2[model.Upload, error]) error) error {
	return s.env.Store.View(ctx, func(tx model.Tx) error {
		total, err := tx.Uploads.Count(ctx, org, f)
		if err != nil {
			return err
		}
		return use(total, tx.Uploads.Processed(ctx, org, f, start, end))
	})
}

// ProcessedUpload gives an upload that has a result; before it has one it is a
// Conflict.
func (s *Service) ProcessedUpload(ctx context.Context, org, id string) (model.Upload, error) {
	u, err := s.Upload(ctx, org, id)
	if err == nil && u.Status != model.UploadProcessed {
		err = model.NewError(model.Conflict, "not_finished", intray.NewMessage("upload.not_finished", intray.Params{"status": string(u.Status), "wanted": string(model.UploadProcessed)}))
	}
	return u, err
}

// Download is a file that a download token opens.
type Download struct {
	Upload model.Upload
	// What is RawFile, or the output format of the result.
	What string
	// Stored is the file where it is stored as it is; nil where it is made on
	// the way.
	Stored blob.Reader

	write func(w io.Writer) error
	close func() error
}

// Close closes what the file is read from.
func (d *Download) Close() error {
	if d.Stored != nil {
		return d.Stored.Close()
	}
	return d.close()
}

// Write makes the file that is not stored, and closes what it is read from.
func (d *Download) Write(w io.Writer) error {
	return errors.Join(d.write(w), d.Close())
}

// Download opens the address that DownloadToken signed.
func (s *Service) Download(ctx context.Context, id, token string) (*Download, error) {
	g, err := auth.VerifyGrant(s.downloadKey, token, downloadLink, s.env.Now())
	if err != nil {
		return nil, err
	}
	if g.ID != id {
		return nil, auth.AlteredError(downloadLink)
	}
	u, err := s.Upload(ctx, g.Org, id)
	if err != nil {
		return nil, err
	}
	d := &Download{Upload: u, What: g.What}
	switch g.What {
	case RawFile:
		d.Stored, err = s.env.OpenFile(ctx, u.Raw.Key)
	case string(output.JSON):
		d.Stored, err = s.env.OpenFile(ctx, u.Result.Key)
	default:
		err = s.OpenConverted(ctx, d)
	}
	return d, err
}

// OpenConverted opens what the result is made from in another format than the stored
// one.
func (s *Service) OpenConverted(ctx context.Context, d *Download) error {
	imp, err := s.Import(ctx, d.Upload.Org, d.Upload.ImportID)
	if err != nil {
		return err
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return err
	}
	if imp.Stage == "" {
		return model.NotFoundError(model.FileMissing)
	}
	staged, err := staging.Open(ctx, s.env.Blobs, imp.Stage)
	if errors.Is(err, blob.ErrNotFound) {
		return model.NotFoundError(model.FileMissing)
	}
	if err != nil {
		return fmt.Errorf("open the staged rows: %w", err)
	}
	d.close = staged.Close
	d.write = func(w io.Writer) error {
		_, err := output.Write(ctx, w, output.Format(d.What), schema, staged.Batches(ctx))
		return err
	}
	return nil
}

// LinkLife is how long upload and download addresses are valid.
const LinkLife = 1800 * time.Second

// UploadToken signs the right to upload the file of an import.
func (s *Service) UploadToken(imp model.Import) (string, error) {
	return auth.SignGrant(s.uploadKey, auth.Grant{Org: imp.Org, ID: imp.ID, Expires: auth.ExpiryUnix(s.env.Now().Add(LinkLife))})
}

// RawFile names the received file among those of an upload that can be
// downloaded. A result is named by its output format.
const RawFile = "raw"

// DownloadToken signs the right to download a file of an upload.
func (s *Service) DownloadToken(u model.Upload, what string) (string, error) {
	return auth.SignGrant(s.downloadKey, auth.Grant{Org: u.Org, ID: u.ID, What: what, Expires: auth.ExpiryUnix(s.env.Now().Add(LinkLife))})
}
