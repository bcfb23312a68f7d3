package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func sampleImage(t *testing.T) v1.Image {
	t.Helper()
	_, out := sampleRelease(t)
	img, err := tarball.ImageFromPath(filepath.Join(out, "intray_1.2.3_image_arm64.tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestImageConfig(t *testing.T) {
	config, err := sampleImage(t).ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	if config.OS != "linux" || config.Architecture != "arm64" || !config.Created.Equal(sampleDate) {
		t.Errorf("the image is for %s/%s, created %s", config.OS, config.Architecture, config.Created)
	}
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/bin/intray"}) || !slices.Equal(c.Cmd, []string{"serve"}) {
		t.Errorf("the image runs %q %q as %s", c.Entrypoint, c.Cmd, c.User)
	}
	for _, setting := range []string{"INTRAY_LISTEN=0.0.0.0:8080", "INTRAY_DATA=/data"} {
		if !slices.Contains(c.Env, setting) {
			t.Errorf("%s is not set: %q", setting, c.Env)
		}
	}
	if _, exposed := c.ExposedPorts["8080/tcp"]; !exposed || len(c.ExposedPorts) != 1 {
		t.Errorf("the image exposes %v", c.ExposedPorts)
	}
	if _, is := c.Volumes["/data"]; !is || len(c.Volumes) != 1 {
		t.Errorf("the volumes are %v", c.Volumes)
	}
	if c.Healthcheck == nil || !slices.Equal(c.Healthcheck.Test, []string{"CMD", "/usr/bin/intray", "health"}) {
		t.Errorf("the health check is %+v", c.Healthcheck)
	}
	if got := c.Labels["org.opencontainers.image.version"]; got != "1.2.3" {
		t.Errorf("the version is %q", got)
	}
}

func TestImageFiles(t *testing.T) {
	layers, err := sampleImage(t).Layers()
	if err != nil {
		t.Fatal(err)
	}
	if len(layers) != 1 {
		t.Fatalf("the image has %d layers", len(layers))
	}
	text, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	want := []string{
		"etc/ 0755 0", "etc/passwd 0644 0", "etc/group 0644 0", "data/ 0700 65532", "tmp/ 01777 0",
		"usr/ 0755 0", "usr/bin/ 0755 0", "usr/bin/intray 0755 0",
		"usr/share/ 0755 0", "usr/share/doc/ 0755 0", "usr/share/doc/intray/ 0755 0",
		"usr/share/doc/intray/LICENSE 0644 0", "usr/share/doc/intray/THIRD-PARTY-NOTICES 0644 0",
	}
	if got := listTar(t, text); !slices.Equal(got, want) {
		t.Errorf("the image has the files\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// listTar returns the name, mode and owner of each file, and checks its time.
func listTar(t *testing.T, text io.Reader) (list []string) {
	t.Helper()
	for tr := tar.NewReader(text); ; {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(sampleDate) {
			t.Errorf("%s has the time %s", header.Name, header.ModTime)
		}
		if header.Uid != header.Gid {
			t.Errorf("%s has the user %d and the group %d", header.Name, header.Uid, header.Gid)
		}
		list = append(list, fmt.Sprintf("%s %#o %d", header.Name, header.Mode, header.Uid))
	}
}

// TestImageLayout checks that the layout contains valid images for both processors.
func TestImageLayout(t *testing.T) {
	_, out := sampleRelease(t)
	folder := t.TempDir()
	if err := extract(filepath.Join(out, "intray_1.2.3_image.oci.tar"), folder); err != nil {
		t.Fatal(err)
	}
	root, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(root); err != nil {
		t.Error(err)
	}
	manifest, err := root.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	images, err := root.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if manifest, err = images.IndexManifest(); err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, one := range manifest.Manifests {
		platforms = append(platforms, one.Platform.String())
	}
	if !slices.Equal(platforms, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("the layout has images for %q", platforms)
	}
}
