package s3

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
)

// ErrConfig means that the configuration is invalid, whatever the store responds.
var ErrConfig = errors.New("invalid S3 configuration")

// openError is an error of Open for operators. Its text replaces that of the cause, which contains
// the ids of requests and the names of internal steps.
type openError struct {
	text  string
	cause error
}

func (e *openError) Error() string { return e.text }
func (e *openError) Unwrap() error { return e.cause }

func configErrorf(format string, args ...any) error {
	return &openError{fmt.Sprintf(format, args...), ErrConfig}
}

// checkEndpoint returns the URL of the store for messages.
func checkEndpoint(endpoint, region string) (string, error) {
	if endpoint == "" {
		return fmt.Sprintf("https://s3.%s.amazonaws.com", region), nil
	}
	if !strings.HasPrefix(endpoint, "http://") && !strings.HasPrefix(endpoint, "https://") {
		return "", configErrorf("AWS_ENDPOINT_URL_S3 must begin with http:// or https://")
	}
	if strings.Contains(endpoint, "@") { // part of a password could be treated as the host
		return "", configErrorf("AWS_ENDPOINT_URL_S3 must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return "", configErrorf("AWS_ENDPOINT_URL_S3 must be a URL such as https://s3.example.org")
	}
	if strings.Trim(u.Path, "/") != "" {
		return "", configErrorf("AWS_ENDPOINT_URL_S3 must not contain a path; the bucket belongs in --blob-url")
	}
	return u.Scheme + "://" + u.Host, nil
}

// checkProxies returns an error if it is unclear where the password in the URL of a proxy ends. A part of it
// would be treated as the host, which appears in messages.
func checkProxies(getenv func(string) string) error {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		_, rest, _ := strings.Cut(getenv(name), "://")
		if i := strings.IndexAny(rest, "/?#"); i >= 0 && strings.Contains(rest[i:], "@") {
			return configErrorf("the user or password in %s seems to contain a special character; write @ as %%40, / as %%2F and # as %%23", name)
		}
	}
	return nil
}

// checkCredentials returns an error if there are no credentials.
func checkCredentials(ctx context.Context, provider aws.CredentialsProvider) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := provider.Retrieve(ctx)
	var call *smithy.OperationError
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && errors.As(err, &call) && call.Service() == "ec2imds": // the last source
		return configErrorf("no S3 credentials found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or a role")
	}
	return fmt.Errorf("get S3 credentials: %w", err)
}

// describeOpenError returns an error that explains to an operator what to do about an error of the
// first request.
func (s *Store) describeOpenError(err error) error {
	status := 0
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		status = response.HTTPStatusCode()
	}
	code := fmt.Sprint("status ", status)
	if failed := smithy.APIError(nil); errors.As(err, &failed) {
		code = failed.ErrorCode()
	}
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case code == "NoSuchBucket":
		return &openError{fmt.Sprintf("the bucket %q does not exist at %s", s.bucket, s.endpoint), err}
	case code == "AccessDenied":
		return &openError{fmt.Sprintf("S3 denied access to the bucket %q (%s); check the permissions of the credentials", s.bucket, code), err}
	case code == "XAdminUserNotFound" || status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &openError{fmt.Sprintf("S3 rejected the credentials (%s); check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", code), err}
	case status == 0:
		return &openError{fmt.Sprintf("cannot reach S3 at %s: %s", s.endpoint, reason(err)), err}
	}
	return &openError{fmt.Sprintf("S3 at %s returned an error: %s", s.endpoint, reason(err)), err}
}

// reason returns the essential part of the text of an error, such as "connection refused".
func reason(err error) string {
	var response smithy.APIError
	var transport *url.Error
	var network *net.OpError
	var call *os.SyscallError
	switch {
	case errors.As(err, &response):
		return strings.TrimSuffix(response.ErrorCode()+": "+response.ErrorMessage(), ": ")
	case errors.As(err, &call):
		return call.Err.Error()
	case errors.As(err, &network):
		return network.Err.Error()
	case errors.As(err, &transport):
		return transport.Err.Error()
	}
	return err.Error()
}

// retryer logs the first attempt that fails while the store is being opened. Otherwise, nothing
// would explain why the process does not start for several seconds.
type retryer struct {
	*retry.Standard
	log     *slog.Logger
	opening *atomic.Bool
}

// RetryDelay is called before each retry.
func (r retryer) RetryDelay(attempt int, err error) (time.Duration, error) {
	if r.opening.CompareAndSwap(true, false) && r.log != nil {
		r.log.Warn("opening S3 failed; retrying", "error", reason(err))
	}
	return r.Standard.RetryDelay(attempt, err)
}
