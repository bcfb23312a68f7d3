package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// entry is a file or folder of an archive or image.
type entry struct {
	// name is the path in the archive. The name of a folder ends in a slash.
	name string
	mode int64
	// owner is the ID of the user and group.
	owner int
	// path is the file with the content. If it is empty, the content is text.
	path string
	text string
}

// writeArchive writes the program with its licenses and README, as a zip file for Windows and
// otherwise as a tar.gz file. All files are in a folder with the name of the archive.
func writeArchive(src source, t target, program, out string) error {
	root := t.fileName(src.version, "/")
	readme, err := os.ReadFile(filepath.Join(src.folder, "README.md"))
	if err != nil {
		return err
	}
	entries := []entry{
		{name: root + t.programName(), mode: 0o755, path: program},
		{name: root + "LICENSE", mode: 0o644, path: filepath.Join(src.folder, "LICENSE")},
		{name: root + noticesName, mode: 0o644, path: noticesPath(program)},
		{name: root + "README.md", mode: 0o644, text: withAbsoluteLinks(string(readme), src.commit)},
	}
	name, write := t.fileName(src.version, ".tar.gz"), writeTarGz
	if t.os == "windows" {
		name, write = t.fileName(src.version, ".zip"), writeZip
	}
	return createFile(filepath.Join(out, name), func(w io.Writer) error { return write(w, entries, src.date) })
}

// relativeLink matches the links of a Markdown page to other files, with an exclamation mark if they are
// images.
var relativeLink = regexp.MustCompile(`(!?)\[([^\]]*)\]\(([^):#]+)(#[^)]*)?\)`)

// withAbsoluteLinks replaces the links in a page to files of the repository, which archives do not contain,
// by those to the commit on GitHub. The LICENSE is next to the page.
func withAbsoluteLinks(page, commit string) string {
	return relativeLink.ReplaceAllStringFunc(page, func(link string) string {
		part := relativeLink.FindStringSubmatch(link)
		image, text, path, anchor := part[1], part[2], part[3], part[4]
		if path == "LICENSE" {
			return link
		}
		view := "blob"
		if image != "" {
			view = "raw"
		}
		return fmt.Sprintf("%s[%s](%s/%s/%s/%s%s)", image, text, homepage, view, commit, path, anchor)
	})
}

func writeTarGz(w io.Writer, entries []entry, date time.Time) error {
	// The header of gzip has neither a name nor a time, unless they are set.
	gz, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(writeTar(gz, entries, date), gz.Close())
}

func writeTar(w io.Writer, entries []entry, date time.Time) error {
	tw := tar.NewWriter(w)
	for _, e := range entries {
		content, size, err := e.open()
		if err != nil {
			return err
		}
		header := &tar.Header{Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: size, ModTime: date, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if e.isFolder() {
			header.Typeflag = tar.TypeDir
		}
		err = tw.WriteHeader(header)
		if err == nil {
			_, err = io.Copy(tw, content)
		}
		if err := errors.Join(err, content.Close()); err != nil {
			return fmt.Errorf("archive %s: %w", e.name, err)
		}
	}
	return tw.Close()
}

func writeZip(w io.Writer, entries []entry, date time.Time) error {
	zw := zip.NewWriter(w)
	for _, e := range entries {
		content, _, err := e.open()
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: date}
		header.SetMode(os.FileMode(e.mode))
		file, err := zw.CreateHeader(header)
		if err == nil {
			_, err = io.Copy(file, content)
		}
		if err := errors.Join(err, content.Close()); err != nil {
			return fmt.Errorf("archive %s: %w", e.name, err)
		}
	}
	return zw.Close()
}

func (e entry) isFolder() bool { return e.name[len(e.name)-1] == '/' }

// open returns the content and its size.
func (e entry) open() (io.ReadCloser, int64, error) {
	if e.path == "" {
		return io.NopCloser(strings.NewReader(e.text)), int64(len(e.text)), nil
	}
	file, err := os.Open(e.path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// createFile creates a file and calls a function that writes its content.
func createFile(name string, write func(w io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
