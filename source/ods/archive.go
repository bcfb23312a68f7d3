package ods

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	archiveMark = "PK\x03\x04"

	mimetypePart = "mimetype"
	contentPart  = "content.xml"
	manifestPart = "META-INF/manifest.xml"
	// encryptedPart holds the whole archive once more, where that is encrypted
	// as one.
	encryptedPart = "encrypted-package"
)

// pack is what a workbook arrives in: an archive, or the content alone.
type pack struct {
	in     *watched
	limits Limits
	// flat says that the file is the content; then there are no parts.
	flat  bool
	parts map[string]*zip.File

	mu sync.Mutex
	// inflated counts the bytes of all parts; seen those of each.
	inflated int64
	seen     map[*zip.File]int64
}

// openPackage looks at what the file is.
func openPackage(ctx context.Context, in *watched, limits Limits) (*pack, error) {
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	head := make([]byte, min(in.Size, int64(len(archiveMark))))
	if _, err := in.ReadAt(head, 0); err != nil && in.failed() != nil {
		return nil, in.explain("read the beginning of the workbook", err)
	}
	if string(head) != archiveMark {
		return &pack{in: in, limits: limits, flat: true}, nil
	}
	p, err := openArchive(in, limits)
	if err != nil {
		return nil, err
	}
	return p, p.checkKind(ctx)
}

// openArchive reads the directory, and refuses what no archiver of workbooks
// writes.
func openArchive(in *watched, limits Limits) (*pack, error) {
	// What an entry may take in the directory: a name of usual length and a few
	// attributes; and the search for the directory itself.
	const perEntry, search = 512, 256 << 10
	left := int64(limits.Entries)*perEntry + search
	ration := &rationed{from: in, left: &left}
	dir, err := zip.NewReader(ration, in.Size)
	ration.left = nil // what follows is counted as it inflates
	switch {
	case left < 0 || err == nil && len(dir.File) > limits.Entries:
		return nil, &source.LimitError{Reason: intray.Literal(fmt.Sprintf("the workbook is an archive of more than %d entries", limits.Entries))}
	case err != nil:
		return nil, in.explain("read the directory of the archive", err)
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	p := &pack{in: in, limits: limits, parts: make(map[string]*zip.File, len(dir.File)), seen: map[*zip.File]int64{}}
	names := make(map[string]bool, len(dir.File))
	for _, f := range dir.File {
		lower := strings.ToLower(f.Name)
		if why := badName(f.Name); why != "" {
			return nil, &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the workbook is an archive with the entry %q, whose name %s", f.Name, why))}
		}
		if names[lower] {
			return nil, &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the workbook is an archive that holds the entry %q twice", f.Name))}
		}
		names[lower], p.parts[f.Name] = true, f
	}
	return p, p.refuseOverlaps(dir.File)
}

// badName says what is wrong with the name of an entry, "" if nothing is.
func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.ContainsRune(name, '\\'):
		return "has a backslash"
	case strings.ContainsRune(name, 0):
		return "has a NUL character"
	case strings.HasPrefix(name, "/"):
		return "begins with a slash"
	case len(name) > 1 && name[1] == ':':
		return "begins with a drive"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "leads to another folder"
	}
	return ""
}

// extent is where an entry lies in the file, its header included.
type extent struct {
	name       string
	begin, end int64
}

// refuseOverlaps looks for entries that share bytes: bombs do, archivers never.
func (p *pack) refuseOverlaps(files []*zip.File) error {
	const header = 30 // the fixed part of what stands in front of an entry
	list := make([]extent, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		if err != nil {
			return p.in.explain(fmt.Sprintf("read the header of the entry %q", f.Name), err)
		}
		size := int64(min(f.CompressedSize64, uint64(p.in.Size)+1))
		if at+size > p.in.Size {
			return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the workbook is damaged: its entry %q ends behind the end of the file", f.Name))}
		}
		list = append(list, extent{f.Name, at - header - int64(len(f.Name)), at + size})
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	for i := 1; i < len(list); i++ {
		if list[i].begin < list[i-1].end {
			return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the workbook is an archive whose entries %q and %q overlap", list[i-1].name, list[i].name))}
		}
	}
	return nil
}

// kind is the media type that an archive gives itself, "" where it has none.
func (p *pack) kind(ctx context.Context) (string, error) {
	const longest = 256
	if p.parts[mimetypePart] == nil {
		return "", nil
	}
	from, err := p.openSmall(ctx, mimetypePart)
	if err != nil {
		return "", err
	}
	defer from.end()
	text, err := io.ReadAll(io.LimitReader(from, longest))
	return strings.TrimSpace(string(text)), err
}

// isSpreadsheet says whether a media type is that of a spreadsheet or of a
// template of one.
func isSpreadsheet(kind string) bool {
	const spreadsheet = "application/vnd.oasis.opendocument.spreadsheet"
	switch kind {
	case spreadsheet, spreadsheet + "-template", spreadsheet + "-flat-xml":
		return true
	}
	return false
}

// checkKind refuses archives that are no spreadsheets, and encrypted ones.
func (p *pack) checkKind(ctx context.Context) error {
	kind, err := p.kind(ctx)
	switch {
	case err != nil:
		return err
	case kind != "" && !isSpreadsheet(kind):
		return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the file is a document of the kind %q, not a spreadsheet", kind))}
	}
	if err := p.refuseEncrypted(ctx); err != nil {
		return err
	}
	if p.parts[contentPart] == nil {
		return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the file is an archive without a spreadsheet: it has no entry %q", contentPart))}
	}
	return nil
}
