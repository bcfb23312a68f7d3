package server

import (
	"errors"
	"strings"
	"testing"
)

// TestInvalidS3 checks that an invalid configuration of S3 is a UsageError, which ends the command
// with status 2.
func TestInvalidS3(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	cfg := Config{BlobURL: "s3://bucket"}
	for endpoint, want := range map[string]string{"minio:9000": "http://", "http://127.0.0.1:1/bucket": "--blob-url"} {
		t.Setenv("AWS_ENDPOINT_URL_S3", endpoint)
		if _, err := openBlobs(t.Context(), cfg); !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a UsageError with %s", endpoint, err, want)
		}
	}
}
