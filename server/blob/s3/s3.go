// Package s3 stores blobs as objects in a bucket of an S3-compatible store.
//
// A blob is an object with its key. A blob that is written in several steps consists of segments
// instead: objects named KEY~/OFFSET, where OFFSET is the position of their first byte as 16
// hexadecimal digits. Keys cannot contain "~". A segment is created only if it does not exist, so
// two writers cannot both continue a blob.
//
// The package uses the configuration of the AWS SDK: environment variables, shared configuration
// files, and the roles of instances and containers. It needs a store with strong consistency and
// conditional writes (If-None-Match).
package s3

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/unfinished"
)

const (
	// maxBackoff is the maximum delay before a failed request is retried.
	maxBackoff = 5 * time.Second
	// headerTimeout is how long the store may take to begin its response. callTimeout limits a
	// request with all its attempts.
	headerTimeout, callTimeout = 30 * time.Second, 3 * time.Minute
	// abandonedAfter is the age at which Open aborts an incomplete multipart upload of an ended
	// process.
	abandonedAfter = 48 * time.Hour
	// defaultRegion is the region of custom endpoints, which usually ignore it.
	defaultRegion = "us-east-1"
)

// Config configures a Store. The zero value uses the defaults.
type Config struct {
	// Log reports incomplete multipart uploads that Open aborts. By default, nothing is logged.
	Log *slog.Logger
	// PartBytes is the size of the parts of a large object. A Writer or Appender buffers one part,
	// in up to twice as much memory. The size doubles after every 2,000 parts of an object.
	// Default: 8 MiB. S3 requires at least 5 MiB.
	PartBytes int
	// Attempts is the maximum number of attempts of a request. Default: 10.
	Attempts int
	// KeepUploads means that Open aborts no incomplete multipart uploads.
	KeepUploads bool
}

// Store is a [blob.Store] in a bucket. Deletions are not atomic. A reader of a blob that is deleted
// or replaced returns an error.
type Store struct {
	client    *s3.Client
	bucket    string
	prefix    string
	endpoint  string // for messages
	partBytes int
	open      unfinished.Set
	// name is random, so that each process has its own.
	name string
}

var (
	_ blob.Store  = (*Store)(nil)
	_ blob.Lister = (*Store)(nil)
)

// Open opens the store at a URL of the form s3://BUCKET or s3://BUCKET/PREFIX. The bucket must
// exist. Open returns ErrConfig if the configuration is invalid, and an error with ErrUnavailable if
// the store is unreachable or refuses the request.
func Open(ctx context.Context, address string, cfg Config) (*Store, error) {
	s := &Store{partBytes: cfg.PartBytes, name: rand.Text()}
	if s.partBytes <= 0 {
		s.partBytes = 8 << 20
	}
	var err error
	if s.bucket, s.prefix, err = ParseURL(address); err != nil {
		return nil, err
	}
	var opening atomic.Bool
	opening.Store(true)
	defer opening.Store(false)
	shared, err := config.LoadDefaultConfig(ctx,
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { //nolint:forbidigo // the operator chooses the store
			t.ResponseHeaderTimeout, t.MaxIdleConnsPerHost = headerTimeout, 64
		})),
		config.WithLogger(logging.Nop{}),
		config.WithRetryer(func() aws.Retryer {
			return retryer{retry.NewStandard(func(o *retry.StandardOptions) {
				// The default limiter gives up if many requests fail, although each succeeds after
				// a few attempts.
				o.RateLimiter, o.MaxAttempts, o.MaxBackoff = ratelimit.None, cmp.Or(cfg.Attempts, 10), maxBackoff
				o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(isTruncated), retry.RetryableErrorCode{Codes: transient})
			}), cfg.Log, &opening}
		}))
	if err != nil {
		return nil, configErrorf("read the configuration of S3: %v", err)
	}
	s.client = s3.NewFromConfig(shared, func(o *s3.Options) {
		// Custom endpoints rarely have a host name for each bucket.
		o.UsePathStyle = o.BaseEndpoint != nil
		if o.Region == "" && o.UsePathStyle {
			o.Region = defaultRegion
		}
		// Users of blobs verify them, and can rebuild some damaged ones. The SDK would fail
		// instead, and only for whole objects.
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		o.APIOptions = append(o.APIOptions, markUnavailable)
	})
	options := s.client.Options()
	if options.Region == "" {
		return nil, configErrorf("no AWS region is configured; set AWS_REGION, or AWS_ENDPOINT_URL_S3 for a store other than AWS")
	}
	if s.endpoint, err = checkEndpoint(aws.ToString(options.BaseEndpoint), options.Region); err == nil {
		err = checkProxies(os.Getenv)
	}
	if err == nil {
		err = checkCredentials(ctx, options.Credentials)
	}
	if err != nil {
		return nil, err
	}
	if cfg.KeepUploads {
		return s, nil
	}
	if err := s.abortAbandoned(ctx, cfg.Log); err != nil {
		return nil, s.describeOpenError(err)
	}
	return s, nil
}

// ParseURL parses a URL of the form s3://BUCKET/PREFIX. prefix is empty or ends with a slash. Errors do
// not contain the URL, which may wrongly contain credentials.
func ParseURL(address string) (bucket, prefix string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Host, ":") {
		return "", "", configErrorf("this is not an S3 URL; enter s3://BUCKET or s3://BUCKET/PREFIX, without credentials")
	}
	prefix = strings.Trim(u.Path, "/")
	if prefix != "" {
		if !blob.ValidKey(prefix) {
			return "", "", configErrorf("the prefix %q contains an invalid character; use a-z, 0-9, '.', '_', '-' and '/'", prefix)
		}
		prefix += "/"
	}
	return u.Host, prefix, nil
}

// Close does nothing.
func (s *Store) Close() error { return nil }

// calls returns a function that begins a request of a blob that stays open, and one that ends all
// of them. The requests do not end with ctx.
func calls(ctx context.Context) (begin func() (context.Context, context.CancelFunc), end func()) {
	ctx, end = context.WithCancel(context.WithoutCancel(ctx))
	return func() (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, callTimeout) }, end
}

// object returns the name of the object of a blob.
func (s *Store) object(ctx context.Context, key string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if !blob.ValidKey(key) {
		return "", fmt.Errorf("%q is not a blob key", key)
	}
	return s.prefix + key, nil
}

// segments is the suffix of the names of the segments of a blob.
const segments = "~/"

// Delete deletes a blob.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, err := s.object(ctx, key)
	if err != nil {
		return fmt.Errorf("delete a blob: %w", err)
	}
	s.open.Drop(func(b *unfinished.Blob) bool { return b.Key == key && b.Visible })
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &name})
	if err == nil || isNotFound(err) {
		err = s.deleteBelow(ctx, name+segments)
	}
	if err != nil {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// DeleteAll deletes all blobs whose keys begin with prefix + "/". A crash can leave some of them.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	name, err := s.object(ctx, prefix)
	if err != nil {
		return fmt.Errorf("delete blobs: %w", err)
	}
	s.open.Drop(func(b *unfinished.Blob) bool { return strings.HasPrefix(b.Key, prefix+"/") })
	if err = s.abortUploads(ctx, name+"/", time.Time{}, nil); err == nil {
		err = s.deleteBelow(ctx, name+"/")
	}
	if err != nil {
		return fmt.Errorf("delete the blobs below %s: %w", prefix, err)
	}
	return nil
}

// deleteBelow deletes all objects whose names begin with a prefix.
func (s *Store) deleteBelow(ctx context.Context, prefix string) error {
	for page, err := range s.pages(ctx, prefix) {
		if err != nil {
			return err
		}
		if len(page) == 0 {
			continue
		}
		batch := make([]types.ObjectIdentifier, len(page))
		for i, object := range page {
			batch[i].Key = object.Key
		}
		out, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{Objects: batch, Quiet: aws.Bool(true)}})
		if err != nil {
			return err
		}
		for _, failed := range out.Errors {
			if aws.ToString(failed.Code) != "NoSuchKey" {
				return fmt.Errorf("%s: %s", aws.ToString(failed.Code), aws.ToString(failed.Message))
			}
		}
	}
	return nil
}

// pages yields the objects whose names begin with a prefix, up to 1,000 at a time.
func (s *Store) pages(ctx context.Context, prefix string) iter.Seq2[[]types.Object, error] {
	return func(yield func([]types.Object, error) bool) {
		pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(page.Contents, nil) {
				return
			}
		}
	}
}

// List yields the finished blobs. The segments of a blob count as one entry if they follow each other.
func (s *Store) List(ctx context.Context) iter.Seq2[blob.Entry, error] {
	return func(yield func(blob.Entry, error) bool) {
		var last blob.Entry
		for page, err := range s.pages(ctx, s.prefix) {
			if err != nil {
				yield(blob.Entry{}, fmt.Errorf("list the blobs: %w", err))
				return
			}
			for _, object := range page {
				name := strings.TrimPrefix(aws.ToString(object.Key), s.prefix)
				key, _, _ := strings.Cut(name, segments)
				if !blob.ValidKey(key) {
					continue // another program wrote it
				}
				entry := blob.Entry{Key: key, Size: aws.ToInt64(object.Size), Modified: aws.ToTime(object.LastModified)}
				if entry.Key == last.Key {
					last.Size += entry.Size
					last.Modified = entry.Modified
					continue
				}
				if last.Key != "" && !yield(last, nil) {
					return
				}
				last = entry
			}
		}
		if last.Key != "" {
			yield(last, nil)
		}
	}
}

// CheckWritable writes and deletes a small object.
func (s *Store) CheckWritable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("check the bucket: %w", err)
	}
	name := s.prefix + "~probes/" + s.name
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.bucket, Key: &name, Body: strings.NewReader("ready?")})
	if err == nil {
		_, err = s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &name})
	}
	if err != nil {
		return fmt.Errorf("check the bucket %s: %w", s.bucket, err)
	}
	return nil
}

// abortAbandoned aborts multipart uploads that processes left incomplete long ago. It also checks
// that the bucket exists.
func (s *Store) abortAbandoned(ctx context.Context, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return s.abortUploads(ctx, s.prefix, time.Now().Add(-abandonedAfter), log)
}

// abortUploads aborts the multipart uploads under a prefix that began before the given time. A zero
// time selects all.
func (s *Store) abortUploads(ctx context.Context, prefix string, before time.Time, log *slog.Logger) error {
	pages := s3.NewListMultipartUploadsPaginator(s.client, &s3.ListMultipartUploadsInput{Bucket: &s.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, u := range page.Uploads {
			if !before.IsZero() && aws.ToTime(u.Initiated).After(before) {
				continue
			}
			_, err := s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &s.bucket, Key: u.Key, UploadId: u.UploadId})
			if err != nil && !isNotFound(err) {
				return err
			}
			if log != nil {
				log.Info("incomplete multipart upload aborted", "key", aws.ToString(u.Key))
			}
		}
	}
	return nil
}

// markUnavailable makes every call of the client return ErrUnavailable if the store is unavailable.
func markUnavailable(stack *middleware.Stack) error {
	mark := func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleInitialize(ctx, in)
		return out, metadata, wrapUnavailable(err)
	}
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("MarkUnavailable", mark), middleware.Before)
}

// wrapUnavailable adds ErrUnavailable to an error if it means that the store is unavailable, that
// it is overloaded, or that it refuses the credentials.
func wrapUnavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, blob.ErrUnavailable) {
		return err
	}
	var response *awshttp.ResponseError
	switch {
	case errors.As(err, new(*retry.MaxAttemptsError)), !errors.As(err, &response):
		return fmt.Errorf("%w: %w", blob.ErrUnavailable, err)
	}
	switch status := response.HTTPStatusCode(); {
	case status == 0, // no response, for example because the host name is unknown
		status >= http.StatusInternalServerError, status == http.StatusTooManyRequests, status == http.StatusUnauthorized, status == http.StatusForbidden,
		hasCode(err, "NoSuchBucket", "XAdminUserNotFound"):
		return fmt.Errorf("%w: %w", blob.ErrUnavailable, err)
	}
	return err
}

// isNotFound reports whether the store has no such object or upload.
func isNotFound(err error) bool { return hasCode(err, "NoSuchKey", "NotFound", "NoSuchUpload") }

// isConflict reports whether a condition of a request was not met.
func isConflict(err error) bool { return hasCode(err, "PreconditionFailed") }

// transient are error codes that the SDK does not retry. Another request may be changing the same
// object. A store that keeps objects as files may also be creating or deleting its own folders.
var transient = map[string]struct{}{"OperationAborted": {}, "ConditionalRequestConflict": {}, "ObjectParentIsFile": {}}

// isTruncated makes the client retry a request whose response is incomplete.
func isTruncated(err error) aws.Ternary {
	var broken *smithy.DeserializationError
	if errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

func hasCode(err error, codes ...string) bool {
	var failed smithy.APIError
	if !errors.As(err, &failed) {
		return false
	}
	for _, code := range codes {
		if failed.ErrorCode() == code {
			return true
		}
	}
	return false
}
