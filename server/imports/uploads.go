package imports

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // compared with Content-MD5, not a security measure
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// The names of links in error messages.
var (
	downloadLink = intray.NewMessage("link.download_url", nil)
	uploadLink   = intray.NewMessage("link.upload_url", nil)
)

// uploadTimeout is the maximum duration of an upload. It is shorter than GuardFor, so that no
// file is deleted while it is being accepted.
const uploadTimeout = 20 * time.Hour

// UploadReceiver receives the file of an authorized upload.
type UploadReceiver struct {
	// MaxSize is the maximum size of the file, in bytes.
	MaxSize int64

	service *Service
	imp     model.Import
	schema  *intray.Schema
}

// IncomingFile is a file that a client uploads.
type IncomingFile struct {
	Body io.Reader
	// Length is the declared size of the file in bytes, or -1 if it is unknown.
	Length int64
	// Filename is the file name that the client declared, or "".
	Filename string
	// MD5 and SHA256 are the digests that the client declared, or nil.
	MD5, SHA256 []byte
}

// UploadReceipt describes a received file.
type UploadReceipt struct {
	Size int64
	MD5  string
}

// BeginUpload authorizes an upload with a token from UploadToken. length is the
// declared size of the file in bytes, or -1 if it is unknown.
func (s *Service) BeginUpload(ctx context.Context, id, token string, length int64) (*UploadReceiver, error) {
	g, err := s.VerifyUploadToken(ctx, id, token)
	if err != nil {
		return nil, err
	}
	if g.What != "" { // the address of a resumable upload
		return nil, auth.AlteredError(uploadLink)
	}
	return s.beginUpload(ctx, g, length)
}

// VerifyUploadToken returns the grant in a token from UploadToken or CreateResumable for an import.
func (s *Service) VerifyUploadToken(ctx context.Context, id, token string) (auth.Grant, error) {
	g, err := auth.VerifyGrant(ctx, s.env, s.uploadKey, token, uploadLink)
	if err == nil && g.ID != id {
		err = auth.AlteredError(uploadLink)
	}
	return g, err
}

func (s *Service) beginUpload(ctx context.Context, g auth.Grant, length int64) (*UploadReceiver, error) {
	ctx = model.InOrg(ctx, g.Org)
	imp, err := s.Import(ctx, g.Org, g.ID)
	if err != nil {
		return nil, err
	}
	if err := checkUploadable(imp); err != nil {
		return nil, err
	}
	if err := s.env.CheckRoom(); err != nil {
		return nil, err
	}
	schema, err := schemas.Frozen(imp)
	if err != nil {
		return nil, err
	}
	r := &UploadReceiver{s.MaxFileSize(schema), s, imp, schema}
	if length > r.MaxSize {
		return nil, r.tooLarge()
	}
	return r, s.env.CheckQuotasEarly(ctx, imp.Org, model.Addition{Quota: model.QueuedImportQuota, N: 1}, model.Addition{Quota: model.StoredBytesQuota, N: max(length, 1)})
}

// MaxFileSize returns the maximum size of a file for a schema, in bytes.
func (s *Service) MaxFileSize(schema *intray.Schema) int64 {
	return min(schema.Settings.MaxFileSize, s.cfg.MaxFileSize)
}

// Org returns the organization of the import.
func (r *UploadReceiver) Org() string { return r.imp.Org }

func checkUploadable(imp model.Import) error {
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

// Receive stores the file. If it returns nil, the file is durable and the import is Pending. If
// it returns an error, the import is normally still waiting for an upload.
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
	done, err := r.store(ctx, s.env, key, in)
	if err != nil {
		s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		// Writing may have failed because the import was deleted together with its
		// unfinished file.
		if _, gone := s.Import(ctx, r.imp.Org, r.imp.ID); model.IsKind(gone, model.NotFound) {
			err = gone
		}
		return UploadReceipt{}, err
	}
	s.env.CrashPoint("upload.stored")
	ctx, cancel := model.DetachedContext(ctx)
	defer cancel()
	if err := r.accept(ctx, key, in.Filename, done.StoredFile, false); err != nil {
		if model.IsRolledBack(err) { // otherwise, the transaction may have been committed
			s.env.DiscardBlobs(context.WithoutCancel(ctx), key)
		}
		return UploadReceipt{}, err
	}
	s.env.CrashPoint("upload.accepted")
	return UploadReceipt{done.Size, hex.EncodeToString(done.MD5)}, nil
}

// insertUpload inserts the upload if it does not exist. It marks the blob of the
// file as trash until the file is accepted.
func (r *UploadReceiver) insertUpload(ctx context.Context, key string) error {
	s := r.service
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		if _, err := tx.Imports.Get(ctx, r.imp.Org, r.imp.ID); err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := tx.Trash.Schedule(ctx, model.Trash{Prefix: key, Due: s.env.Now().Add(model.GuardFor)}); err != nil {
			return err
		}
		imp := r.imp
		imp.Modified = s.env.Now()
		err := tx.Uploads.Insert(ctx, NewUpload(imp, r.schema))
		if model.IsKind(err, model.Conflict) { // from an earlier attempt
			return nil
		}
		return err
	})
}

// receivedFile is a stored file and its MD5, which only uploads need.
type receivedFile struct {
	model.StoredFile
	MD5 []byte
}

// store stores a file if verify accepts it.
func (r *UploadReceiver) store(ctx context.Context, env *model.Env, key string, in IncomingFile) (receivedFile, error) {
	// Reading one more byte than allowed reveals whether the file is too large.
	sum := md5.New()
	body := io.TeeReader(io.LimitReader(in.Body, r.MaxSize+1), sum)
	var done receivedFile
	_, err := env.StoreFile(ctx, key, body, func(d model.StoredFile) error {
		done = receivedFile{d, sum.Sum(nil)}
		return r.verify(in, done)
	})
	return done, err
}

// verify checks the size of the stored file and compares it with the declared length and digests.
func (r *UploadReceiver) verify(in IncomingFile, d receivedFile) error {
	switch {
	case d.Size > r.MaxSize:
		return r.tooLarge()
	case d.Took > uploadTimeout:
		return model.NewError(model.Invalid, "too_slow", intray.NewMessage("file.too_slow", intray.Params{"n": int(uploadTimeout.Hours())}))
	case in.Length >= 0 && d.Size != in.Length:
		return model.NewError(model.Invalid, "body_too_short", intray.NewMessage("file.body_too_short", intray.Params{"size": d.Size, "length": in.Length}))
	case in.MD5 != nil && !bytes.Equal(in.MD5, d.MD5):
		return model.NewError(model.Invalid, "digest_mismatch", intray.NewMessage("file.md5_mismatch", nil))
	case in.SHA256 != nil && !bytes.Equal(in.SHA256, d.SHA256):
		return model.NewError(model.Invalid, "digest_mismatch", intray.NewMessage("file.sha256_mismatch", nil))
	}
	return nil
}

// accept records the stored file in the import and queues the import. If the import has another
// file that is not complete, accept deletes it. If resumable is set, accept returns NotFound if a
// later upload has replaced this one and deleted its blob.
func (r *UploadReceiver) accept(ctx context.Context, key, filename string, d model.StoredFile, resumable bool) error {
	s := r.service
	partial := ""
	err := s.env.Store.Update(ctx, func(tx model.Tx) error {
		imp, err := tx.Imports.Get(ctx, r.imp.Org, r.imp.ID)
		if err != nil {
			return model.DescribeNotFound(err, model.ImportMissing)
		}
		if err := checkUploadable(imp); err != nil {
			return err
		}
		if err := s.env.CheckQuotas(ctx, tx, imp.Org, model.Addition{Quota: model.StoredBytesQuota, N: d.Size}); err != nil {
			return err
		}
		if err := s.env.CountLinkUse(ctx, tx, imp, d.Size); err != nil {
			return err
		}
		u, err := tx.Uploads.Get(ctx, imp.Org, imp.UploadID)
		if err != nil {
			return err
		}
		if partial = u.Raw.Key; resumable && partial != key {
			return uploadReplacedError()
		}
		imp.Filename = cmp.Or(imp.Filename, filename)
		imp.Raw = model.File{Key: key, Size: d.Size, SHA256: hex.EncodeToString(d.SHA256)}
		if err := tx.Trash.Remove(ctx, key); err != nil {
			return err
		}
		if err := s.transition(ctx, tx, &imp, &u, model.Pending); err != nil {
			return err
		}
		return model.EnqueueRun(ctx, tx)
	})
	if err == nil && partial != "" && partial != key {
		s.env.DiscardBlobs(ctx, partial)
	}
	return err
}

// IsShort reports whether err means that the request body ended before its declared length.
func IsShort(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }

// MaxUploads is the maximum number of uploads that a list can return.
const MaxUploads = 10000

// Upload returns an upload of any status.
func (s *Service) Upload(ctx context.Context, org, id string) (u model.Upload, err error) {
	u, err = model.Get(ctx, s.env.Store, func(tx model.Tx) (model.Upload, error) { return tx.Uploads.Get(ctx, org, id) })
	return u, model.DescribeNotFound(err, model.UploadMissing)
}

// Uploads calls the function use with the number of processed uploads that match the filter,
// and with a sequence of a page of them. The sequence reads uploads as it yields them and is valid
// only until use returns.
func (s *Service) Uploads(ctx context.Context, org string, f model.UploadFilter, page model.PageRequest, use func(total int64, list iter.Seq2[model.Upload, error]) error) error {
	return s.env.Store.View(ctx, func(tx model.Tx) error {
		total, err := tx.Uploads.Count(ctx, org, f)
		if err != nil {
			return err
		}
		return use(total, tx.Uploads.Processed(ctx, org, f, page))
	})
}

// ProcessedUpload returns an upload that has a result. If the upload has none, it
// returns a Conflict.
func (s *Service) ProcessedUpload(ctx context.Context, org, id string) (model.Upload, error) {
	u, err := s.Upload(ctx, org, id)
	if err == nil && u.Status != model.UploadProcessed {
		err = model.NewError(model.Conflict, "not_finished", intray.NewMessage("upload.not_finished", intray.Params{"status": string(u.Status), "wanted": string(model.UploadProcessed)}))
	}
	return u, err
}

// Download is a file that is open for download.
type Download struct {
	Upload model.Upload
	// What is either RawFile or the output format of the result.
	What string
	// Stored is the stored file. It is nil if Write generates the file.
	Stored *model.FileReader

	write func(w io.Writer) error
	close func() error
}

// Close closes the download.
func (d *Download) Close() error {
	if d.Stored != nil {
		return d.Stored.Close()
	}
	return d.close()
}

// Write writes the file and closes the download. It generates the file if it is not stored.
func (d *Download) Write(w io.Writer) error {
	return errors.Join(d.write(w), d.Close())
}

// Download opens the file that a token from DownloadToken grants access to. If the file was lost
// or has changed and cannot be rebuilt, it returns a Damaged error.
func (s *Service) Download(ctx context.Context, id, token string) (*Download, error) {
	g, err := auth.VerifyGrant(ctx, s.env, s.downloadKey, token, downloadLink)
	if err != nil {
		return nil, err
	}
	if g.ID != id {
		return nil, auth.AlteredError(downloadLink)
	}
	ctx = model.InOrg(ctx, g.Org)
	u, err := s.Upload(ctx, g.Org, id)
	if err != nil {
		return nil, err
	}
	d := &Download{Upload: u, What: g.What}
	switch g.What {
	case RawFile:
		d.Stored, err = s.env.OpenFile(ctx, u.Raw)
	case string(output.JSON):
		d.Stored, err = s.OpenResult(ctx, u)
	default:
		err = s.OpenConverted(ctx, d)
	}
	if model.IsKind(err, model.Damaged) {
		err = s.unlessDeleted(ctx, u, err)
	}
	return d, err
}

// unlessDeleted returns damage, or NotFound if files of the upload were deleted after it was
// loaded.
func (s *Service) unlessDeleted(ctx context.Context, u model.Upload, damage error) error {
	now, err := s.Upload(ctx, u.Org, u.ID)
	switch {
	case err != nil:
		return err
	case now.Raw.Key != u.Raw.Key || now.Result.Key != u.Result.Key:
		return model.NotFoundError(model.FileMissing)
	}
	return damage
}

// OpenConverted prepares d to write the result in a format that is not stored.
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
	staged, err := s.OpenStage(ctx, &imp)
	if err != nil {
		return err
	}
	d.close = staged.Close
	d.write = func(w io.Writer) error {
		_, err := output.Write(ctx, w, output.Format(d.What), schema, staged.Batches(ctx))
		s.SuspectStage(imp, err)
		return err
	}
	return nil
}

// LinkLife is the lifetime of upload and download URLs.
const LinkLife = 1800 * time.Second

// UploadToken returns a token that grants permission to upload the file of an import. licence
// is the id of the API key for which it is issued.
func (s *Service) UploadToken(imp model.Import, licence string) (string, error) {
	return auth.SignGrant(s.uploadKey, auth.Grant{Org: imp.Org, ID: imp.ID, Licence: licence, Expires: auth.ExpiryUnix(s.env.Now().Add(LinkLife))})
}

// RawFile selects the received file for a download. An output format selects the result instead.
const RawFile = "raw"

// DownloadToken returns a token that grants permission to download a file of an upload. what
// must be RawFile or an output format. licence is the id of the API key for which the token is
// issued.
func (s *Service) DownloadToken(u model.Upload, what, licence string) (string, error) {
	return auth.SignGrant(s.downloadKey, auth.Grant{Org: u.Org, ID: u.ID, What: what, Licence: licence, Expires: auth.ExpiryUnix(s.env.Now().Add(LinkLife))})
}
