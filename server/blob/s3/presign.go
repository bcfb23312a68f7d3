package s3

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/intraydata/intray/server/blob"
)

var _ blob.Presigner = (*Store)(nil)

// PresignPut returns a request that stores an object. The signature covers the size and
// If-None-Match, so the request cannot replace an object. The URL also expires with the credentials of
// the process, if they are temporary.
func (s *Store) PresignPut(ctx context.Context, key string, size int64, expires time.Duration) (blob.PresignedPut, error) {
	name, err := s.object(ctx, key)
	if err == nil && size < 1 { // the SDK would not sign the size
		err = errors.New("an empty blob cannot be presigned")
	}
	if err != nil {
		return blob.PresignedPut{}, fmt.Errorf("presign a blob: %w", err)
	}
	signed, err := s3.NewPresignClient(s.client).PresignPutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &name, ContentLength: &size, ContentType: aws.String("application/octet-stream"), IfNoneMatch: aws.String("*"),
	}, s3.WithPresignExpires(expires), s3.WithPresignClientFromClientOptions(func(o *s3.Options) {
		// Otherwise, the SDK requires a checksum that clients would have to compute before they begin.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	}))
	if err != nil {
		return blob.PresignedPut{}, fmt.Errorf("presign blob %s: %w", key, err)
	}
	put := blob.PresignedPut{URL: signed.URL, Headers: map[string]string{}}
	for header, values := range signed.SignedHeader {
		if header != "Host" && header != "Content-Length" {
			put.Headers[header] = strings.Join(values, ",")
		}
	}
	return put, nil
}

// OpenVersion opens a blob with an ETag. The blob must be a single object.
func (s *Store) OpenVersion(ctx context.Context, key, etag string) (blob.Reader, error) {
	name, err := s.object(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("open a blob: %w", err)
	}
	r, err := s.openObject(ctx, name)
	switch {
	case isNotFound(err):
		err = blob.ErrNotFound
	case err == nil && r.list[0].etag != etag:
		err = errors.Join(blob.ErrOtherVersion, r.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, err)
	}
	return r, nil
}
