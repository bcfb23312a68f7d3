package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob"
)

const (
	// VerifyFirst is the maximum size, in bytes, up to which stored data is verified before it
	// is used. Larger data is verified while it is read, and before its next use if that
	// found damage.
	VerifyFirst = 8 << 20
	// fileChunk is the size of a read from a stored file, in bytes.
	fileChunk = 64 << 10
)

// FileReader reads a stored file. Its method WriteTo writes the file only if it is unchanged.
type FileReader struct {
	blob.Reader
	env  *Env
	file File
}

// OpenFile opens a stored file. It returns NotFound if the file was deleted, and a Damaged error
// if the blob is missing or has a different size. It verifies the SHA-256 of a file of at most
// VerifyFirst bytes, and of a larger file in which this process has found damage.
func (e *Env) OpenFile(ctx context.Context, file File) (*FileReader, error) {
	if file.Key == "" {
		return nil, NotFoundError(FileMissing)
	}
	blobReader, err := e.Blobs.Open(ctx, file.Key)
	if errors.Is(err, blob.ErrNotFound) {
		e.CountDamage()
		return nil, fmt.Errorf("open the stored file %s: %w: %w", file.Key, NewError(Damaged, "file_missing", intray.NewMessage("file.missing", nil)), err)
	}
	if err != nil {
		return nil, err
	}
	r := &FileReader{blobReader, e, file}
	if blobReader.Size() != file.Size {
		return nil, errors.Join(r.damaged(fmt.Sprintf("it has %d bytes, not %d", blobReader.Size(), file.Size)), r.Close())
	}
	if file.Size <= VerifyFirst || e.IsSuspect(file.Key) {
		if err := r.Verify(ctx); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// Verify reads the whole file. It returns a Damaged error if the file has changed since it was
// stored.
func (r *FileReader) Verify(ctx context.Context) error {
	err := r.readVerified(func([]byte) error { return ctx.Err() })
	if err == nil {
		r.env.ClearSuspect(r.file.Key)
	}
	return err
}

// WriteTo writes the file to w. It verifies the SHA-256 before it writes the last chunk. If the
// file has changed since it was stored, WriteTo returns a Damaged error, and w has not received
// all bytes.
func (r *FileReader) WriteTo(w io.Writer) (n int64, err error) {
	err = r.readVerified(func(chunk []byte) error {
		written, err := w.Write(chunk)
		n += int64(written)
		return err
	})
	return n, err
}

// readVerified calls the function use with each chunk of the file. It verifies the SHA-256 before
// it calls use with the last chunk, which may be empty.
func (r *FileReader) readVerified(use func(chunk []byte) error) error {
	sum := sha256.New()
	buf := make([]byte, min(fileChunk, r.file.Size))
	for at := int64(0); ; at += int64(len(buf)) {
		chunk := buf[:min(int64(len(buf)), r.file.Size-at)]
		n, err := r.ReadAt(chunk, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the stored file %s: %w", r.file.Key, err)
		}
		if n < len(chunk) {
			return r.damaged(fmt.Sprintf("it ends after %d bytes", at+int64(n)))
		}
		sum.Write(chunk)
		last := at+int64(len(chunk)) == r.file.Size
		if last && hex.EncodeToString(sum.Sum(nil)) != r.file.SHA256 {
			return r.damaged("its SHA-256 has changed")
		}
		if err := use(chunk); err != nil || last {
			return err
		}
	}
}

// damaged returns a Damaged error and makes the next OpenFile verify the file first.
func (r *FileReader) damaged(reason string) error {
	r.env.Suspect(r.file.Key)
	return fmt.Errorf("stored file %s: %s: %w", r.file.Key, reason, NewError(Damaged, "file_damaged", intray.NewMessage("file.damaged", nil)))
}

// Suspect records that the data with a key or prefix is damaged. This process verifies such data
// as a whole before it uses it again.
func (e *Env) Suspect(key string) {
	e.CountDamage()
	e.suspects.Store(key, nil)
}

// CountDamage counts damage in stored data that is not passed to Suspect.
func (e *Env) CountDamage() { e.damage.Add(1) }

// DamageFound returns the number of times that this process has found a stored file missing or
// changed. The same damage is counted each time it is found.
func (e *Env) DamageFound() int64 { return e.damage.Load() }

// IsSuspect reports whether this process has found damage in the data with a key or prefix.
func (e *Env) IsSuspect(key string) bool {
	_, found := e.suspects.Load(key)
	return found
}

// ClearSuspect records that the data with a key or prefix is intact or no longer needed.
func (e *Env) ClearSuspect(key string) { e.suspects.Delete(key) }
