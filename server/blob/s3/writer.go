package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/unfinished"
)

const (
	// maxParts is the maximum number of parts that S3 allows.
	maxParts = 10_000
	// growEvery is the number of parts after which the part size doubles.
	growEvery = 2000
	// folderCode is the error code of a store that keeps objects as files if there seems to be a folder
	// with the name of an object. The store may be creating or deleting its own folders, so the request
	// is sent again after folderDelay, up to folderAttempts times.
	folderCode                  = "ExistingObjectIsDirectory"
	folderAttempts, folderDelay = 5, 200 * time.Millisecond
	// authorField is the name of the metadata with the author of an object.
	authorField = "intray-author"
)

// Create starts writing a blob. The writer buffers one part.
func (s *Store) Create(ctx context.Context, key string) (blob.Writer, error) {
	name, err := s.object(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("create a blob: %w", err)
	}
	w := &writer{Blob: unfinished.Blob{Key: key}, store: s, name: name, author: rand.Text()}
	w.begin, w.end = calls(ctx)
	s.open.Add(&w.Blob, false)
	return w, nil
}

// writer writes an object. It must not be used concurrently.
type writer struct {
	unfinished.Blob
	store *Store
	name  string
	// author identifies the writer in the metadata of the object.
	author string
	// begin begins a request, and end ends all requests.
	begin func() (context.Context, context.CancelFunc)
	end   func()
	// part is the part that is being filled.
	part   bytes.Buffer
	upload *string
	parts  []types.CompletedPart
	size   int64
	failed error
}

var _ blob.Writer = (*writer)(nil)

// checkOpen returns an error if the blob cannot be written or committed.
func (w *writer) checkOpen() error {
	if err := w.Err(); err != nil {
		return err
	}
	return w.failed
}

// partSize returns the size of the part that is being filled.
func (w *writer) partSize() int { return w.store.partBytes << (len(w.parts) / growEvery) }

func (w *writer) Write(p []byte) (written int, err error) {
	if err := w.checkOpen(); err != nil {
		return 0, fmt.Errorf("write blob %s: %w", w.Key, err)
	}
	for len(p) > 0 {
		if w.part.Len() == w.partSize() {
			if err := w.sendPart(); err != nil {
				w.failed = err
				return written, fmt.Errorf("write blob %s: %w", w.Key, err)
			}
		}
		n, _ := w.part.Write(p[:min(len(p), w.partSize()-w.part.Len())])
		written, p, w.size = written+n, p[n:], w.size+int64(n)
	}
	return written, nil
}

// sendPart sends the part that has been filled.
func (w *writer) sendPart() error {
	ctx, cancel := w.begin()
	defer cancel()
	s := w.store
	if w.upload == nil {
		begun, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &s.bucket, Key: &w.name, Metadata: w.metadata(), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32})
		if err != nil {
			return err
		}
		w.upload = begun.UploadId
	}
	if len(w.parts) == maxParts {
		return fmt.Errorf("the blob is longer than %d parts", maxParts)
	}
	number := aws.Int32(int32(len(w.parts) + 1))
	sent, err := s.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &s.bucket, Key: &w.name, UploadId: w.upload, PartNumber: number, Body: bytes.NewReader(w.part.Bytes()), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return err
	}
	w.parts = append(w.parts, types.CompletedPart{ETag: sent.ETag, PartNumber: number, ChecksumCRC32: sent.ChecksumCRC32})
	w.part.Reset()
	return nil
}

func (w *writer) metadata() map[string]string { return map[string]string{authorField: w.author} }

// Commit stores the object. If the blob is deleted meanwhile, Commit deletes the object.
func (w *writer) Commit() error {
	if err := w.checkOpen(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.Key, err)
	}
	defer w.Abort()
	if err := w.finish(); err != nil {
		return fmt.Errorf("commit blob %s: %w", w.Key, err)
	}
	w.upload = nil
	if w.Dropped() {
		ctx, cancel := w.begin()
		defer cancel()
		_, _ = w.store.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &w.store.bucket, Key: &w.name})
		return fmt.Errorf("commit blob %s: %w", w.Key, unfinished.ErrDropped)
	}
	return nil
}

// finish stores what was written as an object.
func (w *writer) finish() error {
	s := w.store
	ctx, cancel := w.begin()
	defer cancel()
	if w.upload == nil {
		_, err := s.put(ctx, w.name, w.part.Bytes(), w.author, nil)
		return err
	}
	if w.part.Len() > 0 {
		if err := w.sendPart(); err != nil {
			return err
		}
	}
	_, err := s.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &s.bucket, Key: &w.name, UploadId: w.upload, MultipartUpload: &types.CompletedMultipartUpload{Parts: w.parts},
	})
	if isNotFound(err) {
		etag, failure := s.writtenBy(ctx, w.name, w.author)
		if failure != nil {
			return failure
		}
		if etag != "" {
			return nil // an earlier attempt succeeded, but its response was lost
		}
	}
	return err
}

// put stores an object and returns its ETag. If condition is not nil, it sets the condition under
// which the object is stored.
func (s *Store) put(ctx context.Context, name string, content []byte, author string, condition func(*s3.PutObjectInput)) (etag string, err error) {
	for attempt := 1; ; attempt++ {
		in := &s3.PutObjectInput{
			Bucket: &s.bucket, Key: &name, Body: bytes.NewReader(content), ContentLength: aws.Int64(int64(len(content))),
			Metadata: map[string]string{authorField: author}, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
		}
		if condition != nil {
			condition(in)
		}
		out, err := s.client.PutObject(ctx, in)
		if err == nil {
			return aws.ToString(out.ETag), nil
		}
		isFolder := hasCode(err, folderCode)
		if isConflict(err) || condition == nil && isFolder {
			// An earlier attempt may have succeeded although its response was lost. A later one then
			// meets the condition, or the store cannot replace an object with a long name.
			etag, failure := s.writtenBy(ctx, name, author)
			if etag != "" || failure != nil {
				return etag, failure
			}
		}
		if !isFolder || attempt == folderAttempts {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", err
		case <-time.After(folderDelay):
		}
	}
}

// writtenBy returns the ETag of an object if it has the given author, and "" otherwise.
func (s *Store) writtenBy(ctx context.Context, name, author string) (etag string, err error) {
	head, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &name})
	if isNotFound(err) {
		return "", nil
	}
	if err != nil || head.Metadata[authorField] != author {
		return "", err
	}
	return aws.ToString(head.ETag), nil
}

// Abort discards the blob.
func (w *writer) Abort() {
	if !w.store.open.Close(&w.Blob) {
		return
	}
	w.part = bytes.Buffer{}
	if w.upload != nil {
		// If this fails, a later Open ends the upload.
		ctx, cancel := w.begin()
		defer cancel()
		_, _ = w.store.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &w.store.bucket, Key: &w.name, UploadId: w.upload})
	}
	w.end()
}
