package imports

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/model"
)

// failingAppender is an Appender whose Write and Sync return errors.
type failingAppender struct {
	blob.Appender
	write, sync error
	truncated   bool
}

func (f *failingAppender) Write(p []byte) (int, error) { return len(p), f.write }
func (f *failingAppender) Sync() error                 { return f.sync }
func (f *failingAppender) Size() int64                 { return 0 }
func (f *failingAppender) Truncate(int64) error        { f.truncated = true; return nil }

// TestAppendChunkInUse checks that the file is left to the process that has continued the upload,
// and truncated after other failures.
func TestAppendChunkInUse(t *testing.T) {
	u := &ResumableUpload{unfinishedUpload{Length: 100, Expires: time.Now().Add(time.Hour), receiver: &UploadReceiver{service: &Service{env: &model.Env{Clock: time.Now}}}}}
	inUse := fmt.Errorf("append: %w", blob.ErrInUse)
	vanished := iotest.ErrReader(io.ErrUnexpectedEOF)
	for name, c := range map[string]struct {
		file     failingAppender
		chunk    Chunk
		want     error
		truncate bool
	}{
		"in use at Write":                {failingAppender{write: inUse}, Chunk{Body: strings.NewReader("text")}, blob.ErrInUse, false},
		"in use at Sync":                 {failingAppender{sync: inUse}, Chunk{Body: strings.NewReader("text")}, blob.ErrInUse, false},
		"in use with a checksum":         {failingAppender{write: inUse}, Chunk{Body: strings.NewReader("text"), Checksum: sha1.New()}, blob.ErrInUse, false},
		"in use after a lost connection": {failingAppender{sync: inUse}, Chunk{Body: vanished}, blob.ErrInUse, false},
		"failed flush":                   {failingAppender{sync: io.ErrClosedPipe}, Chunk{Body: strings.NewReader("text")}, io.ErrClosedPipe, true},
		"wrong checksum":                 {failingAppender{}, Chunk{Body: strings.NewReader("text"), Checksum: sha1.New()}, ErrChecksum, true},
		"lost connection":                {failingAppender{}, Chunk{Body: vanished}, io.ErrUnexpectedEOF, false},
	} {
		err := u.appendChunk(&c.file, c.chunk)
		if !errors.Is(err, c.want) || c.file.truncated != c.truncate {
			t.Errorf("%s: %v, truncated: %t, want %v, %t", name, err, c.file.truncated, c.want, c.truncate)
		}
	}
}
