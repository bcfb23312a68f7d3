package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Probe is what Store.Probe found out about a bucket.
type Probe struct {
	// Endpoint is the URL of the store, without credentials.
	Endpoint string
	// Conditional means that the store refuses to replace an object if the request asks for it.
	Conditional bool
	// Ahead is how far the clock of the store is ahead of the clock of this process, to the second.
	// Clock means that it is known.
	Ahead time.Duration
	Clock bool
	// Left is the name of the test object if it could not be deleted, or "".
	Left string
}

// ProbeError is an error of Store.Probe.
type ProbeError struct {
	// Action is "list", "write", "read" or "delete", and Permission the one that it needs.
	Action, Permission string
	// Code is the error code of the store, such as AccessDenied, or "" if it did not respond.
	Code string
	Err  error
}

func (e *ProbeError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ProbeError) Unwrap() error { return e.Err }

// Probe writes, reads and deletes a small object, and checks whether the store supports conditional
// writes. If a step fails, it returns a [*ProbeError] and what is known so far.
func (s *Store) Probe(ctx context.Context) (probe Probe, err error) {
	const content = "ready?"
	probe.Endpoint = s.endpoint
	name := s.prefix + "~probes/" + s.name
	began := time.Now()
	uploads, err := s.client.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: &s.bucket, Prefix: &s.prefix, MaxUploads: aws.Int32(1)})
	if err != nil {
		return probe, s.probeError("list", "s3:ListBucketMultipartUploads", err)
	}
	probe.Ahead, probe.Clock = clockAhead(uploads.ResultMetadata, began)
	if _, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &s.prefix, MaxKeys: aws.Int32(1)}); err != nil {
		return probe, s.probeError("list", "s3:ListBucket", err)
	}
	put := func(condition *string) error {
		_, err := s.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.bucket, Key: &name, Body: strings.NewReader(content), IfNoneMatch: condition})
		return err
	}
	if err := put(nil); err != nil {
		return probe, s.probeError("write", "s3:PutObject", err)
	}
	readErr := s.readProbe(ctx, name, content)
	conditional := put(aws.String("*"))
	probe.Conditional = isConflict(conditional)
	if _, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &name}); err != nil {
		probe.Left = name
		return probe, s.probeError("delete", "s3:DeleteObject", err)
	}
	if readErr != nil {
		return probe, s.probeError("read", "s3:GetObject", readErr)
	}
	return probe, nil
}

func (s *Store) readProbe(ctx context.Context, name, want string) error {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &name})
	if err != nil {
		return err
	}
	defer func() { _ = out.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(out.Body, 1<<10))
	if err == nil && string(text) != want {
		err = errors.New("the store returned other bytes than it received")
	}
	return err
}

func (s *Store) probeError(action, permission string, err error) error {
	code := ""
	if failed := smithy.APIError(nil); errors.As(err, &failed) {
		code = failed.ErrorCode()
	}
	return &ProbeError{action, permission, code, s.describeOpenError(err)}
}

// clockAhead returns how far the clock that a response shows is ahead of the clock of this process. The
// request began at the given time.
func clockAhead(metadata middleware.Metadata, began time.Time) (time.Duration, bool) {
	response, ok := awsmiddleware.GetRawResponse(metadata).(*smithyhttp.Response)
	if !ok {
		return 0, false
	}
	at, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return 0, false
	}
	switch now := time.Now(); { // the header has no fractions of a second
	case at.Add(time.Second).Before(began):
		return at.Add(time.Second).Sub(began), true
	case at.After(now):
		return at.Sub(now), true
	}
	return 0, true
}
