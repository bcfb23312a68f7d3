package ods

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
)

const (
	zipMagic = "PK\x03\x04"

	mimetypePart = "mimetype"
	contentPart  = "content.xml"
	manifestPart = "META-INF/manifest.xml"
	// encryptedPart holds the whole archive once more, where that is encrypted
	// as one.
	encryptedPart = "encrypted-package"
)

// document is what a workbook arrives in: an archive, or the content alone.
type document struct {
	in     *trackedInput
	limits Limits
	// flat says that the file is the content; then there are no parts.
	flat  bool
	parts map[string]*zip.File

	mu sync.Mutex
	// inflated counts the bytes of all parts; seen those of each.
	inflated       int64
	inflatedByPart map[*zip.File]int64
}

// openDocument looks at what the file is.
func openDocument(ctx context.Context, in *trackedInput, limits Limits) (*document, error) {
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	head := make([]byte, min(in.Size, int64(len(zipMagic))))
	if _, err := in.ReadAt(head, 0); err != nil && in.storeErr() != nil {
		return nil, in.wrapErr("read the beginning of the workbook", err, intray.Message{})
	}
	if string(head) != zipMagic {
		return &document{in: in, limits: limits, flat: true}, nil
	}
	p, err := openArchive(in, limits)
	if err != nil {
		return nil, err
	}
	return p, p.checkMediaType(ctx)
}

// openArchive reads the directory, and refuses what no archiver of workbooks
// writes.
func openArchive(in *trackedInput, limits Limits) (*document, error) {
	// What an entry may take in the directory: a name of usual length and a few
	// attributes; and the search for the directory itself.
	const perEntry, search = 512, 256 << 10
	left := int64(limits.Entries)*perEntry + search
	ration := &limitedReaderAt{src: in, remaining: &left}
	dir, err := zip.NewReader(ration, in.Size)
	ration.remaining = nil // what follows is counted as it inflates
	switch {
	case left < 0 || err == nil && len(dir.File) > limits.Entries:
		return nil, &source.LimitError{Reason: intray.NewMessage("workbook.too_many_entries", intray.Params{"limit": limits.Entries})}
	case err != nil:
		return nil, in.wrapErr("read the directory of the archive", err, intray.NewMessage("workbook.directory_unreadable", nil))
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	p := &document{in: in, limits: limits, parts: make(map[string]*zip.File, len(dir.File)), inflatedByPart: map[*zip.File]int64{}}
	names := make(map[string]bool, len(dir.File))
	for _, f := range dir.File {
		lower := strings.ToLower(f.Name)
		if why := invalidNameReason(f.Name); !why.IsZero() {
			return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.bad_entry_name", intray.Params{"entry": source.Excerpt(f.Name), "problem": why})}
		}
		if names[lower] {
			return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.duplicate_entry", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		names[lower], p.parts[f.Name] = true, f
	}
	return p, p.checkOverlaps(dir.File)
}

// invalidNameReason says what is wrong with the name of an entry, if anything is.
func invalidNameReason(name string) intray.Message {
	switch {
	case name == "":
		return intray.NewMessage("archive.name_empty", nil)
	case strings.ContainsRune(name, '\\'):
		return intray.NewMessage("archive.name_with_backslash", nil)
	case strings.ContainsRune(name, 0):
		return intray.NewMessage("archive.name_with_nul", nil)
	case strings.HasPrefix(name, "/"):
		return intray.NewMessage("archive.name_with_leading_slash", nil)
	case len(name) > 1 && name[1] == ':':
		return intray.NewMessage("archive.name_with_drive", nil)
	case slices.Contains(strings.Split(name, "/"), ".."):
		return intray.NewMessage("archive.name_leaves_folder", nil)
	}
	return intray.Message{}
}

// extent is where an entry lies in the file, its header included.
type extent struct {
	name       string
	begin, end int64
}

// checkOverlaps looks for entries that share bytes: bombs do, archivers never.
func (p *document) checkOverlaps(files []*zip.File) error {
	const header = 30 // the fixed part of what stands in front of an entry
	list := make([]extent, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		if err != nil {
			return p.in.wrapErr(fmt.Sprintf("read the header of the entry %q", f.Name), err, intray.NewMessage("workbook.entry_header", intray.Params{"entry": source.Excerpt(f.Name)}))
		}
		size := int64(min(f.CompressedSize64, uint64(p.in.Size)+1))
		if at+size > p.in.Size {
			return &source.UnreadableError{Reason: intray.NewMessage("workbook.entry_outside_file", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		list = append(list, extent{f.Name, at - header - int64(len(f.Name)), at + size})
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	for i := 1; i < len(list); i++ {
		if list[i].begin < list[i-1].end {
			return &source.UnreadableError{Reason: intray.NewMessage("workbook.overlapping_entries", intray.Params{"first": source.Excerpt(list[i-1].name), "second": source.Excerpt(list[i].name)})}
		}
	}
	return nil
}

// mediaType is the media type that an archive gives itself, "" where it has none.
func (p *document) mediaType(ctx context.Context) (string, error) {
	const longest = 256
	if p.parts[mimetypePart] == nil {
		return "", nil
	}
	from, err := p.openSmall(ctx, mimetypePart)
	if err != nil {
		return "", err
	}
	defer from.close()
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

// checkMediaType refuses archives that are no spreadsheets, and encrypted ones.
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
	if p.parts[contentPart] == nil {
		return &source.UnreadableError{Reason: intray.NewMessage("opendocument.no_content", intray.Params{"entry": contentPart})}
	}
	return nil
}

// checkEncryption looks into the manifest, where encryption is told entry by
// entry. What is encrypted beside the content, such as macros, does not matter.
func (p *document) checkEncryption(ctx context.Context) error {
	if p.parts[encryptedPart] != nil {
		return errProtected
	}
	if p.parts[manifestPart] == nil {
		return nil
	}
	from, err := p.openSmall(ctx, manifestPart)
	if err != nil {
		return err
	}
	defer from.close()
	// The oldest applications wrote a DOCTYPE here.
	s, err := xmlscan.New(from, xmlscan.Config{Part: manifestPart, TextBytes: p.limits.CellBytes, Depth: p.limits.Depth, Doctype: true, Namespaces: &namespaces})
	if err == nil {
		err = readManifest(s)
	}
	if err != nil && p.in.storeErr() != nil {
		return p.in.wrapErr("read the manifest of the workbook", err, intray.Message{})
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

// readManifestEntry reads what the manifest says of one entry.
func readManifestEntry(s *xmlscan.Scanner) error {
	raw, err := s.Decode(nil, s.AttrIn(nsManifest, "full-path"))
	if err != nil {
		return err
	}
	path := string(raw)
	matters := path == contentPart || path == encryptedPart
	return s.ForEachChild(func() error {
		if matters && s.Is(nsManifest, "encryption-data") {
			return errProtected
		}
		return s.SkipUnchecked()
	})
}

const (
	// maxSmallPart is the most bytes of parts other than the content.
	maxSmallPart = 64 << 20
	// minRatioBytes is where a part is large enough for its ratio to matter.
	minRatioBytes = 16 << 20
)

// part is an entry of the archive that is being inflated, or a flat document.
type part struct {
	name string
	doc  *document
	// file is nil for a flat document, which is as large as it is.
	file  *zip.File
	src   io.Reader
	read  int64
	limit int64
	// done ends reading; it is that of the context at hand.
	done <-chan struct{}
}

// open begins to inflate a part.
func (p *document) open(ctx context.Context, name string) (*part, error) {
	file := p.parts[name]
	const encrypted = 0x1
	if file.Flags&encrypted != 0 {
		return nil, errProtected
	}
	opened := &part{name: name, doc: p, file: file, limit: p.limits.PartBytes, done: ctx.Done()}
	from, err := file.Open()
	if err != nil {
		return nil, p.in.wrapErr(opened.action(), err, opened.problem(err))
	}
	opened.src = from
	return opened, nil
}

// openSmall is open for a part beside the content.
func (p *document) openSmall(ctx context.Context, name string) (*part, error) {
	opened, err := p.open(ctx, name)
	if err == nil {
		opened.limit = min(opened.limit, maxSmallPart)
	}
	return opened, err
}

// openContent opens the part with the sheets.
func (p *document) openContent(ctx context.Context) (*part, error) {
	if !p.flat {
		return p.open(ctx, contentPart)
	}
	return &part{name: "document", doc: p, src: io.NewSectionReader(p.in, 0, p.in.Size), done: ctx.Done()}, nil
}

func (p *part) action() string { return fmt.Sprintf("read the part %q", p.name) }

// problem says what is wrong with a part that cannot be inflated.
func (p *part) problem(err error) intray.Message {
	problem := intray.NewMessage("workbook.part_not_decompressed", nil)
	switch {
	case errors.Is(err, zip.ErrChecksum):
		problem = intray.NewMessage("workbook.part_wrong_checksum", nil)
	case errors.Is(err, zip.ErrAlgorithm):
		problem = intray.NewMessage("workbook.part_unknown_method", nil)
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem = intray.NewMessage("workbook.part_cut_short", nil)
	}
	return intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(p.name), "problem": problem})
}

// Read inflates, and counts what comes.
func (p *part) Read(b []byte) (int, error) {
	select {
	case <-p.done:
		return 0, errCanceled
	default:
	}
	n, err := p.src.Read(b)
	p.read += int64(n)
	if p.file != nil {
		if over := p.checkLimits(); over != nil {
			return 0, over
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.doc.in.wrapErr(p.action(), err, p.problem(err))
	}
	return n, err
}

// checkLimits adds what was not read before, and keeps the limits.
func (p *part) checkLimits() error {
	inflated := p.doc.addInflated(p.file, p.read)
	limits := p.doc.limits
	switch {
	case p.read > p.limit:
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_large", intray.Params{"part": source.Excerpt(p.name), "limit": p.limit})}
	case inflated > limits.InflatedBytes:
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_large", intray.Params{"limit": limits.InflatedBytes})}
	case p.read > minRatioBytes && p.read/limits.Ratio > int64(p.file.CompressedSize64):
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_ratio_too_high", intray.Params{"part": source.Excerpt(p.name), "limit": limits.Ratio})}
	}
	return nil
}

// addInflated notes that a part was read that far, and gives how much was inflated of
// all parts.
func (p *document) addInflated(file *zip.File, read int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.inflatedByPart[file]; read > before {
		p.inflated += read - before
		p.inflatedByPart[file] = read
	}
	return p.inflated
}

// close gives back what inflating needs. Nothing that was read depends on it.
func (p *part) close() {
	if c, ok := p.src.(io.Closer); ok {
		_ = c.Close()
	}
}
