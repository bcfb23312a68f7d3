package imports

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/auth"
	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

const (
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
	unfinishedUpload
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
	u = &ResumableUpload{unfinishedUpload{Length: length, Expires: s.env.Now().Add(ResumableLife), receiver: receiver, key: receiver.imp.RawKey(attempt), filename: filename}}
	if err := u.insert(ctx); err != nil {
		return nil, "", err
	}
	if length == 0 {
		if _, err := u.Receive(ctx, Chunk{Body: io.MultiReader(), Interrupt: func() {}}); err != nil {
			return nil, "", err
		}
	}
	token, err = u.token(g, attempt)
	return u, token, err
}

// OpenResumable returns the upload that a grant from CreateResumable refers to. It returns NotFound
// if there is none or if a later one has replaced it, and a Conflict if the import has another file.
func (s *Service) OpenResumable(ctx context.Context, g auth.Grant) (*ResumableUpload, error) {
	u, err := s.openUnfinished(ctx, g, func(imp model.Import, key string) bool { return imp.IsRawKey(key, g.What) })
	if err != nil {
		return nil, err
	}
	return &ResumableUpload{*u}, nil
}

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
	return u.accept(ctx, file)
}

func wrongOffset(offset int64) error {
	return model.NewError(model.Conflict, "wrong_offset", intray.NewMessage("upload.wrong_offset", intray.Params{"offset": offset}))
}

func (u *ResumableUpload) tooLong() error {
	return model.NewError(model.TooLarge, "upload_too_long", intray.NewMessage("upload.longer_than_declared", intray.Params{"size": u.Length}))
}
