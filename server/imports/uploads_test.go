package imports

import (
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// TestVerify checks which received files are refused.
func TestVerify(t *testing.T) {
	sum, other := md5.Sum([]byte("body")), md5.Sum(nil)
	long, otherLong := sha256.Sum256([]byte("body")), sha256.Sum256(nil)
	stored := receivedFile{model.StoredFile{Size: 4, SHA256: long[:]}, sum[:]}
	empty := receivedFile{model.StoredFile{SHA256: otherLong[:]}, other[:]}
	slow, inTime := stored, stored
	slow.Took, inTime.Took = uploadTimeout+time.Nanosecond, uploadTimeout
	for name, c := range map[string]struct {
		in   IncomingFile
		file receivedFile
		most int64
		code string
	}{
		"as declared":           {IncomingFile{Length: 4, MD5: sum[:], SHA256: long[:]}, stored, 4, ""},
		"nothing declared":      {IncomingFile{Length: -1}, stored, 4, ""},
		"an empty file":         {IncomingFile{Length: 0}, empty, 4, ""},
		"too large":             {IncomingFile{Length: -1}, stored, 3, "file_too_large"},
		"too slow":              {IncomingFile{Length: 4}, slow, 4, "too_slow"},
		"just in time":          {IncomingFile{Length: 4}, inTime, 4, ""},
		"shorter than declared": {IncomingFile{Length: 5}, stored, 9, "body_too_short"},
		"longer than declared":  {IncomingFile{Length: 3}, stored, 9, "body_too_short"},
		"declared as empty":     {IncomingFile{Length: 0}, stored, 9, "body_too_short"},
		"another MD5":           {IncomingFile{Length: 4, MD5: other[:]}, stored, 9, "digest_mismatch"},
		"another SHA-256":       {IncomingFile{Length: 4, SHA256: otherLong[:]}, stored, 9, "digest_mismatch"},
	} {
		err := (&UploadReceiver{MaxSize: c.most}).verify(c.in, c.file)
		var e *model.Error
		code := ""
		if errors.As(err, &e) {
			code = e.Code
		}
		if code != c.code || (err == nil) != (c.code == "") {
			t.Errorf("%s: %q (%v), want %q", name, code, err, c.code)
		}
	}
}

// TestDescribeInUse checks that a store may notice a second writer only when it stores bytes.
func TestDescribeInUse(t *testing.T) {
	var described *model.Error
	if err := describeInUse(fmt.Errorf("flush: %w", blob.ErrInUse)); !errors.As(err, &described) || described.Kind != model.Locked || described.RetryAfter == 0 {
		t.Errorf("got %v", err)
	}
	if err := describeInUse(io.EOF); !errors.Is(err, io.EOF) || describeInUse(nil) != nil {
		t.Errorf("got %v", err)
	}
}
