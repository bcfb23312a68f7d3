package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

func (u *unpacker) openZip(ctx context.Context) error {
	files, err := openDirectory(u.in, u.Limits)
	if err != nil {
		return err
	}
	if err := checkNames(files, u.Limits.NameBytes); err != nil {
		return err
	}
	if err := checkExtents(u.in, files); err != nil {
		return err
	}
	for _, f := range files {
		name := entryName(f)
		why := skipReason(f)
		if why.IsZero() {
			why, err = u.addEntry(ctx, name, f)
		}
		if err != nil {
			return err
		}
		if !why.IsZero() {
			u.skipped.record(name, why)
		}
	}
	if len(u.members) > 0 {
		return nil
	}
	if u.skipped.counts[reasonEmpty] > 0 && u.skipped.counts[reasonUnknown] == 0 {
		return source.ErrEmpty
	}
	reasons := u.skipped.summary()
	if len(reasons) == 0 {
		reasons = []intray.Message{intray.NewMessage("archive.no_entries", nil)}
	}
	return &source.UnreadableError{Reason: intray.NewMessage("archive.no_table", intray.Params{"reasons": reasons, "formats": u.formatNames()})}
}

// addEntry inflates and opens one entry. If it skips the entry, it returns the reason.
func (u *unpacker) addEntry(ctx context.Context, name string, f *zip.File) (why intray.Message, err error) {
	const encrypted, strongly, masked = 1, 1 << 6, 1 << 13
	what := intray.NewMessage("archive.member", intray.Params{"name": source.Excerpt(name)})
	switch {
	case f.Flags&(encrypted|strongly|masked) != 0:
		return why, &source.UnreadableError{Reason: intray.NewMessage("archive.encrypted", intray.Params{"what": what})}
	case f.Method != zip.Store && f.Method != zip.Deflate && f.Method != zipZstd:
		return why, &source.UnreadableError{Reason: intray.NewMessage("archive.unknown_method", intray.Params{"what": what, "method": strconv.Itoa(int(f.Method))})}
	}
	src, err := f.Open()
	if err != nil {
		return why, readError(u.in, what, err)
	}
	defer src.Close()
	return u.addMember(ctx, memberInfo{label: what, name: name, nameSource: intray.NewMessage("archive.name_of_entry", nil), inZip: true}, src)
}

// checkNames rejects unsafe names, duplicate names and names with more bytes than the limit most.
func checkNames(files []*zip.File, most int) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		if len(f.Name) > most {
			return &source.LimitError{Reason: intray.NewMessage("archive.name_too_long", intray.Params{"limit": most})}
		}
		if why := zipfile.NameProblem(f.Name); !why.IsZero() {
			return &source.UnreadableError{Reason: intray.NewMessage("archive.bad_name", intray.Params{"entry": source.Excerpt(f.Name), "problem": why})}
		}
		clean := path.Clean(f.Name)
		if seen[clean] && !strings.HasSuffix(f.Name, "/") {
			return &source.UnreadableError{Reason: intray.NewMessage("archive.duplicate_entry", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		seen[clean] = true
	}
	return nil
}

// These are the reasons for skipping members.
var (
	whyFolder     = intray.NewMessage("archive.folders", nil)
	whyLeftover   = intray.NewMessage("archive.system_files", nil)
	whyHidden     = intray.NewMessage("archive.hidden_files", nil)
	whyIrregular  = intray.NewMessage("archive.links", nil)
	reasonEmpty   = intray.NewMessage("archive.empty_files", nil)
	reasonUnknown = intray.NewMessage("archive.unknown_files", nil)
)

// skipReason returns the reason for skipping an entry without reading it. It returns the zero
// Message if the entry must be read.
func skipReason(f *zip.File) intray.Message {
	if strings.HasSuffix(f.Name, "/") || f.Mode().IsDir() {
		return whyFolder
	}
	for _, part := range strings.Split(path.Clean(f.Name), "/") {
		switch {
		case part == "__MACOSX", strings.EqualFold(part, "Thumbs.db"), strings.EqualFold(part, "desktop.ini"):
			return whyLeftover
		case strings.HasPrefix(part, "."):
			return whyHidden
		}
	}
	if f.Mode()&fs.ModeType != 0 {
		return whyIrregular
	}
	return intray.Message{}
}

// checkExtents checks that the entries lie within the file and do not overlap.
func checkExtents(in *zipfile.Input, files []*zip.File) error {
	err := zipfile.CheckExtents(in, files)
	var header *zipfile.HeaderError
	var outside *zipfile.OutsideError
	var overlap *zipfile.OverlapError
	switch {
	case errors.As(err, &header):
		return readError(in, intray.NewMessage("archive.entry", intray.Params{"entry": source.Excerpt(header.Entry)}), header.Err)
	case errors.As(err, &outside):
		return &source.UnreadableError{Reason: intray.NewMessage("archive.entry_outside_file", intray.Params{"entry": source.Excerpt(outside.Entry)})}
	case errors.As(err, &overlap):
		return &source.UnreadableError{Reason: intray.NewMessage("archive.overlapping_entries", intray.Params{"first": source.Excerpt(overlap.First), "second": source.Excerpt(overlap.Second)})}
	}
	return err
}

const (
	// maxEntryBytes is the maximum average size of a directory entry in bytes, apart from its
	// name.
	maxEntryBytes = 1 << 10
	// zipZstd is the number of the compression method zstd in zip files.
	zipZstd = 93
)

// openDirectory returns the entries of a zip file.
func openDirectory(in *zipfile.Input, limits Limits) ([]*zip.File, error) {
	if total, err := zip64Entries(in); err != nil {
		return nil, readError(in, zipKind.file(), err)
	} else if total > uint64(limits.Members) {
		return nil, tooManyEntriesError(limits)
	}
	dir, err := zipfile.ReadDirectory(in, limits.Members, maxEntryBytes+limits.NameBytes)
	switch {
	case errors.Is(err, zipfile.ErrTooManyEntries):
		return nil, tooManyEntriesError(limits)
	case err != nil:
		return nil, readError(in, zipKind.file(), err)
	}
	dir.RegisterDecompressor(zipZstd, zstdEntry)
	return dir.File, nil
}

// zstdEntry returns a reader that inflates a zip entry compressed with zstd.
func zstdEntry(in io.Reader) io.ReadCloser {
	dec, err := newZstdDecoder(in)
	if err != nil {
		return io.NopCloser(errorReader{err})
	}
	return zstdReader{dec}
}

// errorReader is a reader that always fails.
type errorReader struct{ err error }

// Read returns f.err.
func (f errorReader) Read([]byte) (int, error) { return 0, f.err }

func tooManyEntriesError(limits Limits) error {
	return &source.LimitError{Reason: intray.NewMessage("archive.too_many_entries", intray.Params{"limit": limits.Members})}
}

// zip64Entries returns the number of entries declared in the ZIP64 record, or 0 if there is no
// such record. archive/zip allocates memory for that number of entries before it reads any of
// them.
func zip64Entries(in *zipfile.Input) (uint64, error) {
	const endSize, locatorSize, recordSize, longest = 22, 20, 56, 1<<16 + 22 + 20
	tail := make([]byte, min(in.Size, longest))
	if _, err := in.ReadAt(tail, in.Size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	end := bytes.LastIndex(tail[:max(len(tail)-endSize+4, 0)], []byte("PK\x05\x06"))
	if end < locatorSize || !bytes.HasPrefix(tail[end-locatorSize:], []byte("PK\x06\x07")) {
		return 0, nil
	}
	at := binary.LittleEndian.Uint64(tail[end-locatorSize+8:])
	if at > uint64(in.Size) || uint64(in.Size)-at < recordSize {
		return 0, nil
	}
	record := make([]byte, recordSize)
	if _, err := in.ReadAt(record, int64(at)); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return binary.LittleEndian.Uint64(record[32:]), nil
}

// entryName returns the name of an entry as readable text. Old archivers write names in code
// page 437, and newer ones do not always set the flag for UTF-8.
func entryName(f *zip.File) string {
	name := f.Name
	if !utf8.ValidString(name) {
		name, _ = charmap.CodePage437.NewDecoder().String(name) // every byte is valid
	}
	return replaceControlChars(name)
}

// replaceControlChars replaces control characters, because they could control a terminal.
func replaceControlChars(name string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return unicode.ReplacementChar
		}
		return char
	}, name)
}
