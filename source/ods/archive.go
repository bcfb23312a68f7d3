package ods

import (
	"context"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

const (
	zipMagic = "PK\x03\x04"

	mimetypePart = "mimetype"
	contentPart  = "content.xml"
	manifestPart = "META-INF/manifest.xml"
	// encryptedPart is the entry that holds the workbook if the archive is encrypted as a whole.
	encryptedPart = "encrypted-package"
)

// document is the file of a workbook: an archive or a flat document.
type document struct {
	in     *zipfile.Input
	limits Limits
	// archive is nil for a flat document, which consists of the content alone.
	archive *zipfile.Archive
}

// openDocument detects whether the file is an archive or a flat document. If it is an
// archive, openDocument also checks its media type and encryption.
func openDocument(ctx context.Context, in *zipfile.Input, limits Limits) (*document, error) {
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	head := make([]byte, min(in.Size, int64(len(zipMagic))))
	if _, err := in.ReadAt(head, 0); err != nil && in.Failure() != nil {
		return nil, in.Explain("read the beginning of the workbook", err, intray.Message{})
	}
	if string(head) != zipMagic {
		return &document{in: in, limits: limits}, nil
	}
	p, err := openArchive(in, limits)
	if err != nil {
		return nil, err
	}
	return p, p.checkMediaType(ctx)
}

// openArchive reads the directory of an archive.
func openArchive(in *zipfile.Input, limits Limits) (*document, error) {
	archive, err := zipfile.Open(in, zipfile.Limits{InflatedBytes: limits.InflatedBytes, PartBytes: limits.PartBytes, Ratio: limits.Ratio, Entries: limits.Entries}, false)
	if err != nil {
		return nil, err
	}
	return &document{in: in, limits: limits, archive: archive}, nil
}

// mediaType returns the media type that an archive declares, or "".
func (p *document) mediaType(ctx context.Context) (string, error) {
	const longest = 256
	if !p.archive.Has(mimetypePart) {
		return "", nil
	}
	from, err := p.archive.OpenSmall(ctx, mimetypePart)
	if err != nil {
		return "", err
	}
	defer from.Close()
	text, err := io.ReadAll(io.LimitReader(from, longest))
	return strings.TrimSpace(string(text)), err
}

// isSpreadsheet reports whether a media type is that of a spreadsheet or of a
// spreadsheet template.
func isSpreadsheet(kind string) bool {
	const spreadsheet = "application/vnd.oasis.opendocument.spreadsheet"
	switch kind {
	case spreadsheet, spreadsheet + "-template", spreadsheet + "-flat-xml":
		return true
	}
	return false
}

// checkMediaType returns an error if the archive is not a spreadsheet, is encrypted or has no
// content.
func (p *document) checkMediaType(ctx context.Context) error {
	kind, err := p.mediaType(ctx)
	switch {
	case err != nil:
		return err
	case kind != "" && !isSpreadsheet(kind):
		return &source.UnreadableError{Reason: intray.NewMessage("opendocument.other_type", intray.Params{"type": source.Excerpt(kind)})}
	}
	if err := p.checkEncryption(ctx); err != nil {
		return err
	}
	if !p.archive.Has(contentPart) {
		return &source.UnreadableError{Reason: intray.NewMessage("opendocument.no_content", intray.Params{"entry": contentPart})}
	}
	return nil
}

// checkEncryption reads the manifest, which describes the encryption of each entry. It returns
// an error if the content is encrypted. Other entries, such as macros, may be encrypted.
func (p *document) checkEncryption(ctx context.Context) error {
	if p.archive.Has(encryptedPart) {
		return zipfile.ErrPassword
	}
	if !p.archive.Has(manifestPart) {
		return nil
	}
	from, err := p.archive.OpenSmall(ctx, manifestPart)
	if err != nil {
		return err
	}
	defer from.Close()
	// The oldest applications write a DOCTYPE to the manifest.
	s, err := xmlscan.New(from, xmlscan.Config{Part: manifestPart, TextBytes: p.limits.CellBytes, Depth: p.limits.Depth, Doctype: true, Namespaces: &namespaces})
	if err == nil {
		err = readManifest(s)
	}
	if err != nil && p.in.Failure() != nil {
		return p.in.Explain("read the manifest of the workbook", err, intray.Message{})
	}
	return err
}

func readManifest(s *xmlscan.Scanner) error {
	if more, err := s.NextChild(); err != nil || !more {
		return err
	}
	return s.ForEachChild(func() error {
		if s.Is(nsManifest, "file-entry") {
			return readManifestEntry(s)
		}
		return s.SkipUnchecked()
	})
}

// readManifestEntry reads the description of one entry. It returns an error if the
// content is encrypted.
func readManifestEntry(s *xmlscan.Scanner) error {
	raw, err := s.Decode(nil, s.AttrIn(nsManifest, "full-path"))
	if err != nil {
		return err
	}
	path := string(raw)
	matters := path == contentPart || path == encryptedPart
	return s.ForEachChild(func() error {
		if matters && s.Is(nsManifest, "encryption-data") {
			return zipfile.ErrPassword
		}
		return s.SkipUnchecked()
	})
}

// openContent opens the part that holds the sheets.
func (p *document) openContent(ctx context.Context) (*zipfile.Part, error) {
	if p.archive == nil {
		return zipfile.WholeFile(ctx, p.in, "document"), nil
	}
	return p.archive.Open(ctx, contentPart)
}
