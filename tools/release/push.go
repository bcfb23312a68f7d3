package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// runPush checks a release and pushes its images to a registry, with the version as the tag.
func runPush(args []string) error {
	flags, repo, out := newFlags("push")
	publicKey := flags.String("public-key", "", "the public key that must verify the signature (default minisign.pub in the repository)")
	to := flags.String("to", "ghcr.io/intraydata/intray", "the repository in the registry")
	if err := parse(flags, args, repo, out); err != nil {
		return err
	}
	if err := verifyWith(*repo, *publicKey, *out); err != nil {
		return err
	}
	src, err := readSource(*repo)
	if err != nil {
		return err
	}
	digest, err := pushImages(*out, src.version, *to, registryCredentials())
	if err != nil {
		return err
	}
	fmt.Printf("pushed %s:%s with the digest %s\n", *to, src.version, digest)
	return nil
}

// registryCredentials returns the user and password in the environment, or those of Docker.
func registryCredentials() remote.Option {
	if user := os.Getenv("REGISTRY_USER"); user != "" {
		return remote.WithAuth(&authn.Basic{Username: user, Password: os.Getenv("REGISTRY_PASSWORD")})
	}
	return remote.WithAuthFromKeychain(authn.DefaultKeychain)
}

// pushImages pushes the images for all processors and the index that lists them, unchanged. It
// refuses to replace other images with the same tag, because users may have pinned them.
func pushImages(folder, version, to string, credentials remote.Option) (v1.Hash, error) {
	tag, err := name.NewTag(to + ":" + version)
	if err != nil {
		return v1.Hash{}, err
	}
	scratch, err := os.MkdirTemp("", "intray-push-*")
	if err != nil {
		return v1.Hash{}, err
	}
	defer os.RemoveAll(scratch)
	if err := extract(filepath.Join(folder, layoutName(version)), scratch); err != nil {
		return v1.Hash{}, err
	}
	index, err := readLayout(scratch)
	if err != nil {
		return v1.Hash{}, err
	}
	digest, err := index.Digest()
	if err != nil {
		return v1.Hash{}, err
	}
	existing, err := remote.Head(tag, credentials)
	var failed *transport.Error
	switch {
	case errors.As(err, &failed) && failed.StatusCode == http.StatusNotFound:
	case err != nil:
		return v1.Hash{}, fmt.Errorf("look up %s: %w", tag, err)
	case existing.Digest != digest:
		return v1.Hash{}, fmt.Errorf("%s already exists with the digest %s, and this release has %s", tag, existing.Digest, digest)
	}
	return digest, remote.WriteIndex(tag, index, credentials)
}

// readLayout returns the index of the images in a folder with an OCI layout.
func readLayout(folder string) (v1.ImageIndex, error) {
	root, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, err
	}
	manifest, err := root.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(manifest.Manifests) != 1 {
		return nil, fmt.Errorf("the layout has %d indexes, not one", len(manifest.Manifests))
	}
	return root.ImageIndex(manifest.Manifests[0].Digest)
}

// extract extracts the files of a tar archive to a folder. It refuses files outside of it.
func extract(archive, folder string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for tr := tar.NewReader(file); ; {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = root.MkdirAll(filepath.Dir(header.Name), 0o755)
		}
		if err != nil {
			return err
		}
		to, err := root.Create(header.Name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, tr)
		if err := errors.Join(err, to.Close()); err != nil {
			return fmt.Errorf("extract %s: %w", header.Name, err)
		}
	}
}
