package blobtest

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/intraydata/intray/server/blob"
)

// RunPresigner runs the suite of a store that is a [blob.Presigner]. send sends a presigned request with
// a body, and returns the ETag in the response, or "" if the store refuses the request.
func RunPresigner(t *testing.T, s interface {
	blob.Store
	blob.Presigner
}, send func(put blob.PresignedPut, body []byte) (etag string),
) {
	ctx := t.Context()
	presign := func() blob.PresignedPut {
		t.Helper()
		put, err := s.PresignPut(ctx, "a/direct", 5, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return put
	}
	put := presign()
	for _, body := range []string{"", "four", "sixsix"} {
		if etag := send(put, []byte(body)); etag != "" {
			t.Errorf("%d bytes were accepted instead of 5", len(body))
		}
	}
	if _, err := s.OpenVersion(ctx, "a/direct", `"x"`); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("OpenVersion before the file is sent: %v, want ErrNotFound", err)
	}
	etag := send(put, []byte("first"))
	for _, again := range []blob.PresignedPut{put, presign()} {
		if send(again, []byte("later")) != "" {
			t.Error("a presigned request replaced a blob")
		}
	}
	r, err := s.OpenVersion(ctx, "a/direct", etag)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(readAll(t, r)); got != "first" || r.Close() != nil {
		t.Errorf("the version has %q", got)
	}
	wantBlob(t, s, "a/direct", []byte("first"))
	for _, wrong := range []string{"", "*", `"x"`, etag + " "} {
		if _, err := s.OpenVersion(ctx, "a/direct", wrong); !errors.Is(err, blob.ErrOtherVersion) {
			t.Errorf("OpenVersion with the ETag %q: %v, want ErrOtherVersion", wrong, err)
		}
	}
	if err := s.DeleteAll(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	wantNone(t, s, "a/direct")
	if send(put, []byte("again")) == "" {
		t.Error("a presigned request does not work after the deletion of its blob")
	}
	for key, size := range map[string]int64{"a/empty": 0, "../a": 1} {
		if _, err := s.PresignPut(ctx, key, size, time.Minute); err == nil {
			t.Errorf("%d bytes at %s were presigned", size, key)
		}
	}
}

var _ blob.Presigner = (*Memory)(nil)

// PresignPut returns a request that SendPresigned accepts. It does not expire.
func (s *Memory) PresignPut(ctx context.Context, key string, size int64, _ time.Duration) (blob.PresignedPut, error) {
	if err := checkKey(ctx, key); err != nil {
		return blob.PresignedPut{}, fmt.Errorf("presign a blob: %w", err)
	}
	if size < 1 {
		return blob.PresignedPut{}, errors.New("an empty blob cannot be presigned")
	}
	return blob.PresignedPut{URL: fmt.Sprintf("https://bucket.test/%s?size=%d", key, size), Headers: map[string]string{"If-None-Match": "*"}}, nil
}

// SendPresigned executes a request from PresignPut. It returns the ETag of the blob, or "" if the request
// is refused.
func (s *Memory) SendPresigned(put blob.PresignedPut, body []byte) (etag string) {
	u, err := url.Parse(put.URL)
	if err != nil || u.Query().Get("size") != strconv.Itoa(len(body)) {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := u.Path[1:]
	if _, exists := s.blobs[key]; exists {
		return ""
	}
	s.blobs[key] = body
	return etagOf(body)
}

func etagOf(content []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(content)) }

// OpenVersion opens a blob with an ETag.
func (s *Memory) OpenVersion(ctx context.Context, key, etag string) (blob.Reader, error) {
	r, err := s.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	content := make([]byte, r.Size())
	if _, err := r.ReadAt(content, 0); err != nil {
		return nil, err
	}
	if etagOf(content) != etag {
		return nil, fmt.Errorf("open blob %s: %w", key, blob.ErrOtherVersion)
	}
	return r, nil
}
