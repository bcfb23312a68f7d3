package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageUser is the ID of the user and group that the image runs as. Images without a distribution
// commonly use it.
const imageUser = 65532

// imageEntries are the files of the image. It has no base image, so there is no shell and no
// library that would need updates.
func imageEntries(src source, program string) []entry {
	return []entry{
		{name: "etc/", mode: 0o755},
		{name: "etc/passwd", mode: 0o644, text: fmt.Sprintf("root:x:0:0:root:/:/sbin/nologin\nintray:x:%d:%d:Intray:/data:/sbin/nologin\n", imageUser, imageUser)},
		{name: "etc/group", mode: 0o644, text: fmt.Sprintf("root:x:0:\nintray:x:%d:\n", imageUser)},
		// A new volume gets the owner and mode of the folder below it.
		{name: "data/", mode: 0o700, owner: imageUser},
		{name: "tmp/", mode: 0o1777},
		{name: "usr/", mode: 0o755},
		{name: "usr/bin/", mode: 0o755},
		{name: "usr/bin/intray", mode: 0o755, path: program},
		{name: "usr/share/", mode: 0o755},
		{name: "usr/share/doc/", mode: 0o755},
		{name: "usr/share/doc/intray/", mode: 0o755},
		{name: "usr/share/doc/intray/LICENSE", mode: 0o644, path: filepath.Join(src.folder, "LICENSE")},
		{name: "usr/share/doc/intray/" + noticesName, mode: 0o644, path: noticesPath(program)},
	}
}

// newImage returns the image with the program of a target.
func newImage(src source, t target, program string) (v1.Image, error) {
	layer, err := newLayer(imageEntries(src, program), src.date)
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if img, err = mutate.ConfigFile(img, imageConfig(src, t)); err != nil {
		return nil, err
	}
	return mutate.Append(img, mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{
		Created: v1.Time{Time: src.date}, CreatedBy: "tools/release",
	}})
}

// newLayer returns a compressed layer with these files.
func newLayer(entries []entry, date time.Time) (v1.Layer, error) {
	var buf bytes.Buffer
	if err := writeTar(&buf, entries, date); err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buf.Bytes())), nil }
	return tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
}

// imageConfig returns the configuration of the image. The settings are environment variables
// instead of arguments, so that other commands such as "keys list" use the same data.
func imageConfig(src source, t target) *v1.ConfigFile {
	return &v1.ConfigFile{
		OS: t.os, Architecture: t.arch, Created: v1.Time{Time: src.date},
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:         fmt.Sprintf("%d:%d", imageUser, imageUser),
			Entrypoint:   []string{"/usr/bin/intray"},
			Cmd:          []string{"serve"},
			Env:          []string{"PATH=/usr/bin", "HOME=/data", "INTRAY_LISTEN=0.0.0.0:8080", "INTRAY_DATA=/data"},
			WorkingDir:   "/data",
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Volumes:      map[string]struct{}{"/data": {}},
			StopSignal:   "SIGTERM",
			// The command limits itself to 5 s. Only Docker and Podman run it.
			Healthcheck: &v1.HealthConfig{
				Test: []string{"CMD", "/usr/bin/intray", "health"}, Interval: 30 * time.Second, Timeout: 6 * time.Second, StartPeriod: time.Minute, Retries: 3,
			},
			Labels: imageLabels(src),
		},
	}
}

func imageLabels(src source) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":         "Intray",
		"org.opencontainers.image.description":   description,
		"org.opencontainers.image.url":           homepage,
		"org.opencontainers.image.source":        homepage,
		"org.opencontainers.image.documentation": homepage + "/blob/v" + src.version + "/docs/install.md",
		"org.opencontainers.image.licenses":      "Apache-2.0",
		"org.opencontainers.image.version":       src.version,
		"org.opencontainers.image.revision":      src.commit,
		"org.opencontainers.image.created":       src.date.Format(time.RFC3339),
	}
}

// buildImages writes a file for each Linux program, which "podman load" and "docker load" accept,
// and one OCI layout with the images for all processors, which registries accept.
func buildImages(src source, programs map[target]string, out string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, t := range targets {
		program, built := programs[t]
		if t.os != "linux" || !built {
			continue
		}
		img, err := newImage(src, t, program)
		if err != nil {
			return fmt.Errorf("image for %s: %w", t, err)
		}
		if err := writeImage(img, src.version, filepath.Join(out, fmt.Sprintf("intray_%s_image_%s.tar", src.version, t.arch))); err != nil {
			return fmt.Errorf("image for %s: %w", t, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: t.os, Architecture: t.arch}}})
	}
	return writeLayout(index, src, filepath.Join(out, layoutName(src.version)))
}

// layoutName returns the name of the archive with the images for all processors.
func layoutName(version string) string { return fmt.Sprintf("intray_%s_image.oci.tar", version) }

// writeImage writes one image, in the format that Docker introduced.
func writeImage(img v1.Image, version, file string) error {
	tag, err := name.NewTag("intray:"+version, name.WithDefaultRegistry(""))
	if err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return err
	}
	return createFile(file, func(w io.Writer) error { return tarball.Write(tag, img, w) })
}

// writeLayout writes an index of images as an archive of an OCI layout.
func writeLayout(index v1.ImageIndex, src source, file string) error {
	folder, err := os.MkdirTemp("", "intray-layout-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path, err := layout.Write(folder, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "intray:" + src.version})); err != nil {
		return err
	}
	var entries []entry
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		inside, err := filepath.Rel(folder, file)
		entries = append(entries, entry{name: filepath.ToSlash(inside), mode: 0o644, path: file})
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return createFile(file, func(w io.Writer) error { return writeTar(w, entries, src.date) })
}
