package server

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/intraydata/intray/server/blob"
	"github.com/intraydata/intray/server/blob/blobtest"
	"github.com/intraydata/intray/server/blob/disk"
)

func TestObservedBlobs(t *testing.T) {
	m := newMetrics("v1")
	blobtest.Run(t, func(t *testing.T) blob.Store {
		store, err := disk.Open(t.TempDir(), disk.Config{})
		must(t, err)
		t.Cleanup(func() { must(t, store.Close()) })
		m.registry = prometheus.NewRegistry() // for one store
		return m.observeBlobs(store)
	})
}

// unavailableBlobs is a store that does not respond.
type unavailableBlobs struct{ closableBlobs }

func (unavailableBlobs) Open(context.Context, string) (blob.Reader, error) {
	return nil, blob.ErrUnavailable
}

func (unavailableBlobs) Delete(context.Context, string) error { return context.Canceled }

// TestBlobErrors checks that answers such as ErrNotFound do not count as errors.
func TestBlobErrors(t *testing.T) {
	m := newMetrics("v1")
	store, err := disk.Open(t.TempDir(), disk.Config{})
	must(t, err)
	defer func() { must(t, store.Close()) }()
	blobs := m.observeBlobs(unavailableBlobs{store}).(observedBlobs)
	if _, err := blobs.Open(t.Context(), "a"); !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	if err := blobs.Delete(t.Context(), "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	blobs.closableBlobs = store
	if _, err := blobs.Open(t.Context(), "a"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	values := gather(t, m)
	for _, operation := range blobOperations {
		want := 0.0
		if operation == "open" {
			want = 1
		}
		if got, ok := values["intray_blob_errors_total "+operation]; !ok || got != want {
			t.Errorf("%g errors of %s, want %g", got, operation, want)
		}
	}
}
