package s3_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/s3"
	"github.com/intraydata/intray/test/s3test"
)

// TestOpenErrors checks what Open reports to operators. An error counts as one of the configuration
// if no store could accept it, and as ErrUnavailable if a later attempt can succeed.
func TestOpenErrors(t *testing.T) {
	server := s3test.Start(t)
	server.SetEnv(t)
	address := bucket(t, server)
	type env map[string]string
	for name, c := range map[string]struct {
		address string
		env     env
		kind    error
		text    string
	}{
		"a missing bucket": {"s3://intray-fils", nil, blob.ErrUnavailable, `the bucket "intray-fils" does not exist at ` + server.URL},
		"a wrong secret": {
			address, env{"AWS_SECRET_ACCESS_KEY": "another"}, blob.ErrUnavailable,
			"S3 rejected the credentials (SignatureDoesNotMatch); check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		},
		"an unknown key": {
			address, env{"AWS_ACCESS_KEY_ID": "another"}, blob.ErrUnavailable,
			"S3 rejected the credentials (XAdminUserNotFound); check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
		},
		"no credentials": {
			address, env{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, s3.ErrConfig,
			"no S3 credentials found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or a role",
		},
		"a missing profile":          {address, env{"AWS_PROFILE": "other"}, s3.ErrConfig, "read the configuration of S3: failed to get shared config profile, other"},
		"no region":                  {address, env{"AWS_REGION": "", "AWS_ENDPOINT_URL_S3": ""}, s3.ErrConfig, "no AWS region is configured; set AWS_REGION, or AWS_ENDPOINT_URL_S3 for a store other than AWS"},
		"an endpoint without scheme": {address, env{"AWS_ENDPOINT_URL_S3": "127.0.0.1:9000"}, s3.ErrConfig, "AWS_ENDPOINT_URL_S3 must begin with http:// or https://"},
		"an endpoint without host":   {address, env{"AWS_ENDPOINT_URL_S3": "http://"}, s3.ErrConfig, "AWS_ENDPOINT_URL_S3 must be a URL such as https://s3.example.org"},
		"an endpoint with a path":    {address, env{"AWS_ENDPOINT_URL_S3": server.URL + "/bucket"}, s3.ErrConfig, "AWS_ENDPOINT_URL_S3 must not contain a path; the bucket belongs in --blob-url"},
		"an endpoint with a key":     {address, env{"AWS_ENDPOINT_URL_S3": "http://key:s@cr/t#@127.0.0.1:1"}, s3.ErrConfig, "AWS_ENDPOINT_URL_S3 must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		"an unclear proxy":           {address, env{"HTTPS_PROXY": "http://user:s@cr/t#@proxy.example.org"}, s3.ErrConfig, "the user or password in HTTPS_PROXY seems to contain a special character; write @ as %40, / as %2F and # as %23"},
		"a closed port":              {address, env{"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1"}, blob.ErrUnavailable, "cannot reach S3 at http://127.0.0.1:1: connection refused"},
		"TLS to a port without TLS": {
			address, env{"AWS_ENDPOINT_URL_S3": "https" + strings.TrimPrefix(server.URL, "http")}, blob.ErrUnavailable,
			"cannot reach S3 at https" + strings.TrimPrefix(server.URL, "http") + ": http: server gave HTTP response to HTTPS client",
		},
		"another URL": {"gs://bucket", nil, s3.ErrConfig, "this is not an S3 URL; enter s3://BUCKET or s3://BUCKET/PREFIX, without credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range c.env {
				t.Setenv(variable, value)
			}
			_, err := s3.Open(t.Context(), c.address, s3.Config{Attempts: 2})
			if !errors.Is(err, c.kind) || err.Error() != c.text {
				t.Errorf("got %v\nwant %s (%v)", err, c.text, c.kind)
			}
		})
	}
}

// TestLogOfRetries checks that the log explains why opening the store takes so long, and that later
// retries are not logged.
func TestLogOfRetries(t *testing.T) {
	server, faults := startBehindProxy(t, s3test.Faults{Refused: 1})
	var log bytes.Buffer
	cfg := s3.Config{Attempts: 3, Log: slog.New(slog.NewTextHandler(&log, nil))}
	address := bucket(t, server)
	_, err := s3.Open(t.Context(), address, cfg)
	if want := "S3 at " + faults.URL + " returned an error: ServiceUnavailable: Service Unavailable"; !errors.Is(err, blob.ErrUnavailable) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), `msg="opening S3 failed; retrying" error="ServiceUnavailable: Service Unavailable"`) {
		t.Errorf("the log is %q", log.String())
	}
	log.Reset()
	faults.SetFaults(s3test.Faults{})
	s, err := s3.Open(t.Context(), address, cfg)
	must(t, err)
	faults.SetFaults(s3test.Faults{Refused: 1})
	if err := s.CheckWritable(t.Context()); !errors.Is(err, blob.ErrUnavailable) || log.Len() > 0 {
		t.Errorf("after opening: %v, the log is %q", err, log.String())
	}
}
