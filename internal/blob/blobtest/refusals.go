package blobtest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/blob"
)

// calls gives every method that takes a key.
func calls(s blob.Store) map[string]func(ctx context.Context, key string) error {
	return map[string]func(context.Context, string) error{
		"Create": func(ctx context.Context, key string) error {
			w, err := s.Create(ctx, key)
			if err == nil {
				w.Abort()
			}
			return err
		},
		"Open": func(ctx context.Context, key string) error {
			r, err := s.Open(ctx, key)
			if err == nil {
				_ = r.Close()
			}
			return err
		},
		"Delete":    s.Delete,
		"DeleteAll": s.DeleteAll,
	}
}

func badKeys(t *testing.T, s blob.Store) {
	put(t, s, "a/b", []byte("stays"))
	bad := []string{
		"", "/", ".", "..", "/a", "a/", "a//b", "a/./b", "a/../b", "../a", "a/..",
		".hidden", "a/.hidden", "A", "ä", "a b", "a\x00b", "a\\b", "a+", "a:b", "a\n", "~",
		strings.Repeat("a", 513), strings.Repeat("a/", 256) + "a",
	}
	for name, call := range calls(s) {
		for _, key := range bad {
			err := call(context.Background(), key)
			if err == nil || errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%s(%.20q) gave %v, want a refusal", name, key, err)
			}
		}
	}
	wantBlob(t, s, "a/b", []byte("stays"))
}

func cancelled(t *testing.T, s blob.Store) {
	put(t, s, "a/b", []byte("stays"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, call := range calls(s) {
		for _, key := range []string{"a", "a/b"} {
			if err := call(ctx, key); !errors.Is(err, context.Canceled) {
				t.Errorf("%s(%s) gave %v, want Canceled", name, key, err)
			}
		}
	}
	if err := s.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Check gave %v, want Canceled", err)
	}
	wantBlob(t, s, "a/b", []byte("stays"))
}

func check(t *testing.T, s blob.Store) {
	for range 3 {
		if err := s.Check(context.Background()); err != nil {
			t.Fatalf("Check: %v", err)
		}
	}
}
