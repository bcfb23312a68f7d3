package main

import (
	"io"
	"log"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestPush checks that a registry has the images for both processors after a push, that a push can be
// repeated, and that it does not replace other images.
func TestPush(t *testing.T) {
	_, out := sampleRelease(t)
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	to, anonymous := strings.TrimPrefix(server.URL, "http://")+"/intraydata/intray", remote.WithAuth(authn.Anonymous)
	var digest v1.Hash
	for range 2 {
		var err error
		if digest, err = pushImages(out, "1.2.3", to, anonymous); err != nil {
			t.Fatal(err)
		}
	}
	tag, err := name.NewTag(to + ":1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(tag, anonymous)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, one := range manifest.Manifests {
		platforms = append(platforms, one.Platform.String())
	}
	if got, err := index.Digest(); err != nil || got != digest || !slices.Equal(platforms, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("the registry has the digest %s, want %s, and images for %q (%v)", got, digest, platforms, err)
	}

	other, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(tag, other, anonymous); err != nil {
		t.Fatal(err)
	}
	if _, err := pushImages(out, "1.2.3", to, anonymous); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("the tag was replaced: %v", err)
	}
}
