package archive

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/zipfile"
)

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

// bareName returns the reason for naming a member after the archive file, without its
// extension.
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

// maxOfficeEntries is the smallest limit on the number of entries while searching for an
// office document, because office documents have more entries than archives of tables.
const maxOfficeEntries = 10_000

// findOffice returns the name of an entry that only office documents have, or "". If the
// directory is damaged, it searches for such names in head.
func findOffice(in *zipfile.Input, head []byte, limits Limits) string {
	limits.Members = max(limits.Members, maxOfficeEntries)
	files, err := openDirectory(in, limits)
	if err != nil {
		return findOfficeInHead(head)
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

func findOfficeInHead(head []byte) string {
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

// unsupportedArchive returns the name of the archive format if Intray does not support it, or
// "".
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
