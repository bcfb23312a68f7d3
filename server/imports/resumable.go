package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

const (
	// ResumableLife is the lifetime of a resumable upload. Then its address expires.
	ResumableLife = 24 * time.Hour
	// resumableMargin is the time between the expiry and the deletion of the file. It is longer than
	// completing an upload takes, so that no file is deleted while it is being accepted.
	resumableMargin = time.Hour
	// interruptWait is how long a request waits for an interrupted one to end.
	interruptWait = 5 * time.Second
	// flushEvery is the number of bytes of a chunk after which they are made durable. It limits how
	// long the flush at the end of a large chunk takes.
	flushEvery = 64 << 20
)

// errFlush means that bytes could not be made durable. The system may have dropped them.
var errFlush = errors.New("flush an unfinished upload")

// ErrChecksum means that the checksum of a chunk is wrong. The chunk was discarded.
var ErrChecksum = errors.New("the checksum of the chunk is wrong")

// ResumableUpload is a file that arrives in several requests. Its bytes are appended to the blob
// that becomes the file of the import. All processes that share the blobs can continue it.
type ResumableUpload struct {
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

// Chunk is a part of a file that a client sends in one request.
type Chunk struct {
	Body io.Reader
	// Offset is the position of the chunk in the file.
	Offset int64
	// Length is the declared size of the chunk in bytes, or -1 if it is unknown.
	Length int64
	// Checksum computes the checksum of the chunk, and Sum is the expected one. If Checksum is nil,
	// the chunk is not verified.
	Checksum hash.Hash
	Sum      []byte
	// Interrupt makes a blocked Read of Body return an error. It may be called several times, at any
	// time until Receive returns.
	Interrupt func()
}

// CreateResumable starts a resumable upload of a file of the given length. g is the grant in a token
// from UploadToken. CreateResumable discards an earlier upload that is not complete. An empty file is
// complete at once. The returned token grants permission to continue the upload.
func (s *Service) CreateResumable(ctx context.Context, g auth.Grant, length int64, filename string) (u *ResumableUpload, token string, err error) {
	if err := checkFilename("Upload-Metadata", filename); err != nil {
		return nil, "", err
	}
	receiver, err := s.beginUpload(ctx, g, length)
	if err != nil {
		return nil, "", err
	}
	attempt, err := s.env.NewID()
	if err != nil {
		return nil, "", err
	}
	u = &ResumableUpload{Length: length, Expires: s.env.Now().Add(ResumableLife), receiver: receiver, key: receiver.imp.RawKey(attempt), filename: filename}
	if err := u.insert(ctx); err != nil {
		return nil, "", err
	}
	if length == 0 {
		if _, err := u.Receive(ctx, Chunk{Body: io.MultiReader(), Interrupt: func() {}}); err != nil {
			return nil, "", err
		}
	}
	g.What, g.Expires = attempt, auth.ExpiryUnix(u.Expires)
	token, err = auth.SignGrant(s.uploadKey, g)
	return u, token, err
}

// insert records the upload in the store, in place of an earlier one.
func (u *ResumableUpload) insert(ctx context.Context) error {
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
func (u *ResumableUpload) reserve(ctx context.Context, tx model.Tx) error {
	s, org := u.receiver.service, u.receiver.imp.Org
	if s.env.Quotas.Limit(org, model.StoredBytesQuota) <= 0 {
		return nil
	}
	unfinished, err := tx.Uploads.Unfinished(ctx, org, s.env.Now().Add(-ResumableLife-resumableMargin))
	if err != nil {
		return err
	}
	return s.env.CheckQuotas(ctx, tx, org, model.Addition{Quota: model.StoredBytesQuota, N: unfinished + max(u.Length, 1)})
}

// OpenResumable returns the upload that a grant from CreateResumable refers to. It returns NotFound
// if there is none or if a later one has replaced it, and a Conflict if the import has another file.
func (s *Service) OpenResumable(ctx context.Context, g auth.Grant) (*ResumableUpload, error) {
	imp, err := s.Import(ctx, g.Org, g.ID)
	if err != nil {
		return nil, err
	}
	u := &ResumableUpload{Expires: time.Unix(g.Expires, 0).UTC()}
	if imp.IsRawKey(imp.Raw.Key, g.What) {
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
	if model.IsKind(err, model.NotFound) || err == nil && !imp.IsRawKey(upload.Raw.Key, g.What) {
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
func (u *ResumableUpload) Org() string { return u.receiver.imp.Org }

// Complete reports whether the file is complete and belongs to the import.
func (u *ResumableUpload) Complete() bool { return u.accepted }

// Offset returns the number of bytes that are durable. It interrupts a request of this process that
// is sending bytes, because a client that asks has lost its connection. If the file is complete but
// does not belong to the import yet, because the process ended before, Offset completes the upload.
func (u *ResumableUpload) Offset(ctx context.Context) (int64, error) {
	if u.accepted {
		return u.Length, nil
	}
	s := u.receiver.service
	r, err := s.env.Blobs.Open(ctx, u.key)
	if errors.Is(err, blob.ErrNotFound) {
		return 0, nil // nothing was received
	}
	if err != nil {
		return 0, err
	}
	if err := r.Close(); err != nil {
		return 0, err
	}
	file, err := u.interruptAndOpen(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	if err := file.Sync(); err != nil {
		return 0, u.unlessGone(ctx, err)
	}
	return file.Size(), u.acceptIfComplete(ctx, file)
}

// interruptAndOpen opens the file. If a request of this process is writing it, it ends the request.
func (u *ResumableUpload) interruptAndOpen(ctx context.Context) (blob.Appender, error) {
	s := u.receiver.service
	for end := time.Now().Add(interruptWait); ; {
		file, err := u.open(ctx)
		if !model.IsKind(err, model.Locked) || time.Now().After(end) {
			return file, err
		}
		// The request may be about to read again, so one interruption may not suffice.
		if interrupt, ok := s.receiving.Load(u.key); ok {
			interrupt.(func())()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (u *ResumableUpload) open(ctx context.Context) (blob.Appender, error) {
	file, err := u.receiver.service.env.Blobs.Append(ctx, u.key)
	return file, describeInUse(err)
}

// describeInUse returns an error for clients if another request is sending bytes of the upload.
// Some stores notice that only when they store bytes.
func describeInUse(err error) error {
	if !errors.Is(err, blob.ErrInUse) {
		return err
	}
	e := model.NewError(model.Locked, "upload_in_progress", intray.NewMessage("upload.in_progress", nil))
	e.RetryAfter = time.Second
	return e
}

// Receive appends a chunk to the file and returns the number of bytes that are durable. If the file
// is then complete, the import is Pending. If Receive returns an error, the bytes that arrived remain,
// unless the chunk has a checksum, is too long, or does not fit on the disk.
func (u *ResumableUpload) Receive(ctx context.Context, c Chunk) (offset int64, err error) {
	if u.accepted {
		if c.Offset == u.Length && c.Length == 0 {
			return u.Length, nil
		}
		return 0, wrongOffset(u.Length)
	}
	s := u.receiver.service
	if err := s.env.CheckRoom(); err != nil {
		return 0, err
	}
	file, err := u.open(ctx)
	if err != nil {
		return 0, u.unlessGone(ctx, err)
	}
	defer func() { _ = file.Close() }()
	s.receiving.Store(u.key, c.Interrupt)
	defer s.receiving.Delete(u.key)
	switch {
	case c.Offset != file.Size():
		return 0, wrongOffset(file.Size())
	case c.Length > u.Length-c.Offset:
		return 0, u.tooLong()
	}
	if err := u.appendChunk(file, c); err != nil {
		return 0, u.unlessGone(ctx, err)
	}
	return file.Size(), u.acceptIfComplete(ctx, file)
}

// appendChunk writes a chunk and makes it durable. If another process has continued the upload, it
// returns ErrInUse and leaves the file to that process.
func (u *ResumableUpload) appendChunk(file blob.Appender, c Chunk) error {
	failure := u.copyChunk(file, c)
	switch {
	case errors.Is(failure, blob.ErrInUse):
		return failure
	case failure == nil && c.Checksum != nil && string(c.Checksum.Sum(nil)) != string(c.Sum):
		failure = ErrChecksum
	case failure == nil && file.Size() > u.Length:
		failure = u.tooLong()
	}
	discard := failure != nil && c.Checksum != nil || model.IsDiskFull(failure) || errors.Is(failure, errFlush) || file.Size() > u.Length
	if discard {
		failure = errors.Join(failure, file.Truncate(c.Offset))
	}
	if err := flush(file); err != nil {
		failure = errors.Join(failure, err)
		if !errors.Is(err, blob.ErrInUse) {
			failure = errors.Join(failure, file.Truncate(c.Offset))
		}
	}
	return model.WrapStorageFull(failure)
}

func flush(file blob.Appender) error {
	if err := file.Sync(); err != nil {
		return fmt.Errorf("%w: %w", errFlush, err)
	}
	return nil
}

// copyChunk copies the body of a chunk to the file, up to one byte more than it may have.
func (u *ResumableUpload) copyChunk(file blob.Appender, c Chunk) error {
	env, to := u.receiver.service.env, io.Writer(file)
	if c.Checksum != nil {
		to = io.MultiWriter(file, c.Checksum)
	}
	from := io.LimitReader(c.Body, u.Length-c.Offset+1)
	buffer := make([]byte, 256<<10)
	for flushed := c.Offset; ; {
		n, err := from.Read(buffer)
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return err
			}
		}
		if file.Size()-flushed >= flushEvery {
			if err := flush(file); err != nil {
				return err
			}
			flushed = file.Size()
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case env.Now().After(u.Expires):
			return auth.ExpiredError(uploadLink)
		}
	}
}

// acceptIfComplete makes a complete file the file of the import.
func (u *ResumableUpload) acceptIfComplete(ctx context.Context, file blob.Appender) error {
	if file.Size() != u.Length {
		return nil
	}
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
func (u *ResumableUpload) discard(ctx context.Context) {
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
		s.env.Log.Warn("a refused upload was not discarded", "import", imp.ID, "error", err)
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
func (u *ResumableUpload) unlessGone(ctx context.Context, err error) error {
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

func wrongOffset(offset int64) error {
	return model.NewError(model.Conflict, "wrong_offset", intray.NewMessage("upload.wrong_offset", intray.Params{"offset": offset}))
}

func (u *ResumableUpload) tooLong() error {
	return model.NewError(model.TooLarge, "upload_too_long", intray.NewMessage("upload.longer_than_declared", intray.Params{"size": u.Length}))
}
