// Package archive reads tables in gzip, zstd and zip files.
//
// An archive is the received file, and a member is a file inside it. A gzip or zstd file has
// one member, which consists of one or more consecutive compressed streams. A zip file can
// have several members. The inner format that recognizes a member opens it, and the archive
// has the sheets of all members.
//
// Opening an archive inflates its members into one temporary file. The package therefore
// detects a truncated or damaged stream before it returns the first record. It counts bytes as
// they are inflated and does not trust the sizes that an archive declares.
//
// The package does not parse tables, read nested archives, ask for passwords or use names as
// paths. Office documents are zip files too, but have their own formats.
package archive

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// Format is the format "archive".
type Format struct {
	// Inner holds the formats that a member can have. It must not include Format itself.
	Inner []source.Format
	// Temp is the folder for the temporary file. The default is os.TempDir.
	Temp string
	// Limits restricts the resources that an untrusted archive can use.
	Limits Limits
}

// Limits holds the resource limits for opening one archive. If a field is zero, its default
// applies. Open returns a *source.LimitError if a limit is exceeded.
type Limits struct {
	// InflatedBytes is the maximum inflated size of all members together, in bytes, including
	// members without a table. The default is 4 GiB.
	InflatedBytes int64
	// MemberBytes is the maximum inflated size of one member in bytes. The default is
	// InflatedBytes.
	MemberBytes int64
	// Ratio is the maximum number of inflated bytes per compressed byte. It applies to members
	// of more than 10 MiB. The default is 1,000.
	Ratio int64
	// Members is the maximum number of entries in a zip file, including folders and files
	// without a table. The default is 1,000.
	Members int
	// NameBytes is the maximum length of a member name in bytes. The default is 1 KiB.
	NameBytes int
	// Sheets is the maximum total number of sheets in all members. The default is 4,096.
	Sheets int
}

// WithDefaults returns a copy of l in which zero fields have their defaults.
func (l Limits) WithDefaults() Limits {
	l.InflatedBytes = cmp.Or(l.InflatedBytes, 4<<30)
	l.MemberBytes = cmp.Or(l.MemberBytes, l.InflatedBytes)
	l.Ratio = cmp.Or(l.Ratio, 1000)
	l.Members = cmp.Or(l.Members, 1000)
	l.NameBytes = cmp.Or(l.NameBytes, 1<<10)
	l.Sheets = cmp.Or(l.Sheets, 4096)
	return l
}

// Name returns "archive".
func (Format) Name() string { return "archive" }

// Detect returns 1 for a file that starts like a gzip, zstd or zip file and is not an office
// document. It returns 0 for all other files.
func (f Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	k, office := detectKind(zipfile.NewInput(in), head, f.Limits.WithDefaults())
	if k == noArchive || office != "" {
		return 0, intray.Message{}
	}
	return 1, k.reason()
}

// Open inflates the members and opens those that contain a table. In a zip file, it does not
// inflate folders, links, hidden files and system files. Sheets in a gzip or zstd
// file keep their names. A sheet in a zip file has the name of its member, followed by " / "
// and the sheet name if the sheet has one. The input is not used after Open returns.
func (f Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	f.Limits = f.Limits.WithDefaults()
	u := &unpacker{Format: f, in: zipfile.NewInput(in), opt: opt}
	b, err := u.open(ctx)
	if err != nil {
		if left := u.cleanUp(); left != nil {
			err = errors.Join(err, left)
		}
		return nil, err
	}
	return b, nil
}

// unpacker opens one archive.
type unpacker struct {
	Format
	in    *zipfile.Input
	opt   source.Options
	kind  kind
	spool *spool
	// inflated is the number of inflated bytes of all members so far.
	inflated int64
	members  []member
	// openBook is the opened book of the only member. It is nil if there are several members.
	openBook source.Book
	sheets   int
	skipped  skippedMembers
	// remarks holds notes about the archive as a whole, for the evidence.
	remarks []intray.Message
}

func (u *unpacker) open(ctx context.Context) (source.Book, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if u.in.Size == 0 {
		return nil, source.ErrEmpty
	}
	if err := u.detectKind(); err != nil {
		return nil, err
	}
	var err error
	if u.spool, err = newSpool(u.Temp); err != nil {
		return nil, err
	}
	switch u.kind {
	case gzipKind:
		err = u.openGzip(ctx)
	case zstdKind:
		err = u.openZstd(ctx)
	default:
		err = u.openZip(ctx)
	}
	if err != nil {
		return nil, err
	}
	b := &book{opt: u.opt, members: u.members, openBook: u.openBook, spool: u.spool, evidence: u.evidence()}
	for i, m := range u.members {
		for s := range m.sheets {
			b.sheets = append(b.sheets, sheetRef{i, s})
		}
	}
	return b, nil
}

func (u *unpacker) detectKind() error {
	head := make([]byte, min(u.in.Size, source.HeadBytes))
	if _, err := u.in.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the beginning of the archive: %w", err)
	}
	k, office := detectKind(u.in, head, u.Limits)
	switch {
	case u.in.Failure() != nil:
		return fmt.Errorf("read the directory of the archive: %w", u.in.Failure())
	case k == noArchive:
		return &source.UnreadableError{Reason: intray.NewMessage("archive.not_archive", nil)}
	case office != "":
		return &source.UnreadableError{Reason: intray.NewMessage("archive.office_document", intray.Params{"entry": source.Excerpt(office)})}
	}
	u.kind = k
	return nil
}

// cleanUp closes the open book and the temporary file after an error.
func (u *unpacker) cleanUp() error {
	var err error
	if u.openBook != nil {
		err = u.openBook.Close()
	}
	if u.spool != nil {
		err = errors.Join(err, u.spool.Close())
	}
	return err
}

// evidence returns the evidence about the archive and its members. If there is only one
// member, it includes the evidence of the book in that member.
func (u *unpacker) evidence() []intray.Evidence {
	why := intray.JoinMessages(append([]intray.Message{u.kind.reason()}, u.remarks...)...)
	list := []intray.Evidence{{Choice: "archive", Value: string(u.kind), Reason: why}}
	if len(u.members) == 1 {
		list = append(list, u.members[0].evidence()...)
	} else {
		names := make([]string, 0, maxListedNames)
		for _, m := range u.members[:min(len(u.members), maxListedNames)] {
			names = append(names, m.name)
		}
		list = append(list, intray.Evidence{
			Choice: "members", Value: joinNames(names, len(u.members)),
			Reason: intray.NewMessage("archive.members", intray.Params{"n": len(u.members)}),
		})
	}
	return append(list, u.skipped.evidence()...)
}

// sheetRef identifies a sheet by the index of its member and its index in that member.
type sheetRef struct{ member, sheet int }

// book is an opened archive.
type book struct {
	opt     source.Options
	members []member
	sheets  []sheetRef
	// openBook is the opened book of the only member. It is nil if there are several members.
	openBook source.Book
	spool    *spool
	evidence []intray.Evidence
}

func (b *book) Evidence() []intray.Evidence { return b.evidence }

func (b *book) Sheets() []source.Sheet {
	list := make([]source.Sheet, len(b.sheets))
	for i, p := range b.sheets {
		m := &b.members[p.member]
		list[i] = m.sheets[p.sheet]
		list[i].Name = m.sheetName(p.sheet)
	}
	return list
}

// Open opens a sheet. If there are several members, each reader opens its own book.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet < 0 || sheet >= len(b.sheets) {
		return nil, fmt.Errorf("open sheet %d of an archive with %d", sheet, len(b.sheets))
	}
	p := b.sheets[sheet]
	m := &b.members[p.member]
	if b.openBook != nil {
		inner, err := b.openBook.Open(ctx, p.sheet)
		if err != nil {
			return nil, m.wrapError(err)
		}
		return &reader{Reader: inner, member: m}, nil
	}
	own, err := m.format.Open(ctx, m.in, b.opt)
	if err != nil {
		return nil, m.wrapError(err)
	}
	inner, err := own.Open(ctx, p.sheet)
	if err != nil {
		return nil, errors.Join(m.wrapError(err), own.Close())
	}
	return &reader{Reader: inner, member: m, ownBook: own}, nil
}

// Close closes the book and removes the temporary file. It can be called more than once.
func (b *book) Close() error {
	var err error
	if b.openBook != nil {
		err = b.openBook.Close()
	}
	return errors.Join(err, b.spool.Close())
}

// reader reads one sheet of a member.
type reader struct {
	source.Reader
	member *member
	// ownBook is the book that was opened for this reader, or nil.
	ownBook source.Book
}

// Evidence returns the evidence about the member, unless the book already includes it.
func (r *reader) Evidence() []intray.Evidence {
	if r.ownBook == nil {
		return r.Reader.Evidence()
	}
	return append(r.member.evidence(), r.Reader.Evidence()...)
}

func (r *reader) Next(ctx context.Context, batch *intray.Records) error {
	return r.member.wrapError(r.Reader.Next(ctx, batch))
}

func (r *reader) Close() error {
	err := r.Reader.Close()
	if r.ownBook != nil {
		err = errors.Join(err, r.ownBook.Close())
	}
	return err
}

// kind is the compression format of an archive.
type kind string

const (
	noArchive kind = ""
	gzipKind  kind = "gzip"
	zstdKind  kind = "zstd"
	zipKind   kind = "zip"
)

func (k kind) reason() intray.Message {
	return intray.NewMessage("archive.begins_as", intray.Params{"format": string(k)})
}

// file returns a message that names the archive, such as "the zip file".
func (k kind) file() intray.Message {
	return intray.NewMessage("archive.file", intray.Params{"format": string(k)})
}

// bareName returns the reason for naming a member after the archive file, without its extension.
func (k kind) bareName() intray.Message {
	return intray.NewMessage("archive.name_without_extension", intray.Params{"format": string(k)})
}

const (
	gzipMagic = "\x1F\x8B\x08"
	zstdMagic = "\x28\xB5\x2F\xFD"
	zipMagic  = "PK\x03\x04"
	// emptyZipMagic starts the end record of the directory. An archive without members
	// consists only of that record.
	emptyZipMagic = "PK\x05\x06"
)

// detectKind detects the archive format from the beginning of a file. office is the name of
// the entry that identifies a zip file as an office document, or "".
func detectKind(in *zipfile.Input, head []byte, limits Limits) (k kind, office string) {
	switch {
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		return gzipKind, ""
	case beginsZstd(head):
		return zstdKind, ""
	case bytes.HasPrefix(head, []byte(zipMagic)):
		return zipKind, findOffice(in, head, limits)
	case bytes.HasPrefix(head, []byte(emptyZipMagic)):
		return zipKind, ""
	}
	return noArchive, ""
}

// beginsZstd reports whether text starts with a zstd frame, optionally after skippable frames,
// which parallel compressors write.
func beginsZstd(text []byte) bool {
	const skippable, mask, header = 0x184D2A50, 0xFFFFFFF0, 8
	for !bytes.HasPrefix(text, []byte(zstdMagic)) {
		if len(text) < header || binary.LittleEndian.Uint32(text)&mask != skippable {
			return false
		}
		size := int64(binary.LittleEndian.Uint32(text[4:]))
		if int64(len(text)-header) < size {
			return false
		}
		text = text[header+size:]
	}
	return true
}

// officeEntries returns prefixes of entry names that only office documents have. A folder such
// as xl/ alone does not identify one.
func officeEntries() []string {
	return []string{"[content_types].xml", "_rels/.rels", "meta-inf/manifest.xml", "xl/workbook", "xl/worksheets/", "xl/_rels/", "word/document", "word/_rels/", "ppt/presentation", "ppt/_rels/"}
}

// maxOfficeEntries is the minimum value of Limits.Members during the search for an office
// document, because office documents have more entries than archives of tables.
const maxOfficeEntries = 10_000

// findOffice returns the name of an entry that only office documents have, or "". If the
// directory is damaged, it searches for such names in head.
func findOffice(in *zipfile.Input, head []byte, limits Limits) string {
	limits.Members = max(limits.Members, maxOfficeEntries)
	files, err := openDirectory(in, limits)
	if err != nil {
		if bytes.Contains(head, []byte("mimetypeapplication/")) {
			return "mimetype"
		}
		lower := bytes.ReplaceAll(bytes.ToLower(head), []byte{'\\'}, []byte{'/'})
		for _, name := range officeEntries() {
			if bytes.Contains(lower, []byte(name)) {
				return name
			}
		}
		return ""
	}
	for _, f := range files {
		if f.Name == "mimetype" { // OpenDocument and EPUB files start with this entry
			return f.Name
		}
		lower := strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(f.Name), `\`, "/"), "/")
		if slices.ContainsFunc(officeEntries(), func(name string) bool { return strings.HasPrefix(lower, name) }) {
			return f.Name
		}
	}
	return ""
}

// unsupportedArchive returns the name of the archive format if Intray does not support it, or "".
func unsupportedArchive(head []byte) string {
	const tarMark, tarAt = "ustar", 257
	if len(head) > tarAt && bytes.HasPrefix(head[tarAt:], []byte(tarMark)) {
		return "tar"
	}
	marks := []struct{ mark, name string }{
		{"7z\xBC\xAF\x27\x1C", "7z"}, {"Rar!\x1A\x07", "rar"}, {"\xFD7zXZ\x00", "xz"}, {"\x04\x22\x4D\x18", "lz4"},
	}
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.name
		}
	}
	// A bzip2 file starts with BZh, the level, and the digits of pi before the first block.
	if len(head) > 10 && bytes.HasPrefix(head, []byte("BZh")) && bytes.Equal(head[4:10], []byte("1AY&SY")) {
		return "bzip2"
	}
	return ""
}
