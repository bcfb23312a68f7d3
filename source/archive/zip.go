package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
	"golang.org/x/text/encoding/charmap"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

func (u *unpacking) zip(ctx context.Context) error {
	files, err := openDirectory(u.in, u.Limits)
	if err != nil {
		return err
	}
	if err := refuseNames(files, u.Limits.NameBytes); err != nil {
		return err
	}
	if err := refuseOverlaps(u.in, files); err != nil {
		return err
	}
	for _, f := range files {
		name := entryName(f)
		why := aside(f)
		if why.IsZero() {
			why, err = u.entry(ctx, name, f)
		}
		if err != nil {
			return err
		}
		if !why.IsZero() {
			u.passed.add(name, why)
		}
	}
	if len(u.members) > 0 {
		return nil
	}
	if u.passed.counts[whyEmpty] > 0 && u.passed.counts[whyUnknown] == 0 {
		return source.ErrEmpty
	}
	reasons := u.passed.reasons()
	if len(reasons) == 0 {
		reasons = []intray.Message{intray.NewMessage("archive.no_entries", nil)}
	}
	return &source.UnreadableError{Reason: intray.NewMessage("archive.no_table", intray.Params{"reasons": reasons, "formats": u.formats()})}
}

// entry opens one entry. why says why it was passed over, if it was.
func (u *unpacking) entry(ctx context.Context, name string, f *zip.File) (why intray.Message, err error) {
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
		return why, u.in.explain(what, err)
	}
	defer src.Close()
	return u.take(ctx, found{what: what, name: name, why: intray.NewMessage("archive.name_of_entry", nil), inZip: true}, src)
}

// refuseNames looks for names that no honest archive has.
func refuseNames(files []*zip.File, most int) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		if len(f.Name) > most {
			return &source.LimitError{Reason: intray.NewMessage("archive.name_too_long", intray.Params{"limit": most})}
		}
		if why := badName(f.Name); !why.IsZero() {
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

// badName says what is wrong with the name of an entry, if anything is.
func badName(name string) intray.Message {
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

// Why members are passed over.
var (
	whyFolder    = intray.NewMessage("archive.folders", nil)
	whyLeftover  = intray.NewMessage("archive.system_files", nil)
	whyHidden    = intray.NewMessage("archive.hidden_files", nil)
	whyIrregular = intray.NewMessage("archive.links", nil)
	whyEmpty     = intray.NewMessage("archive.empty_files", nil)
	whyUnknown   = intray.NewMessage("archive.unknown_files", nil)
)

// aside says why an entry is passed over without a look at what it holds, if it
// is.
func aside(f *zip.File) intray.Message {
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

// localHeader is the fixed part of the header in front of an entry's bytes.
const localHeader = 30

// extent is where in the file an entry lies.
type extent struct {
	name       string
	begin, end int64
}

// refuseOverlaps looks for entries that share bytes: bombs do, archivers never.
func refuseOverlaps(in *watched, files []*zip.File) error {
	list := make([]extent, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		if err != nil {
			return in.explain(intray.NewMessage("archive.entry", intray.Params{"entry": source.Excerpt(f.Name)}), err)
		}
		size := int64(min(f.CompressedSize64, uint64(in.Size)+1))
		if at+size > in.Size {
			return &source.UnreadableError{Reason: intray.NewMessage("archive.entry_outside_file", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		list = append(list, extent{f.Name, at - localHeader - int64(len(f.Name)), at + size})
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	for i := 1; i < len(list); i++ {
		if list[i].begin < list[i-1].end {
			return &source.UnreadableError{Reason: intray.NewMessage("archive.overlapping_entries", intray.Params{"first": source.Excerpt(list[i-1].name), "second": source.Excerpt(list[i].name)})}
		}
	}
	return nil
}

const (
	// entryBytes is what an entry may take in the directory beside its name.
	entryBytes = 1 << 10
	// directoryEnd is what looking for the directory may take.
	directoryEnd = 256 << 10
	// zipZstd is the number of zstd among the methods of compression.
	zipZstd = 93
)

// openDirectory lists the entries of a zip file.
func openDirectory(in *watched, limits Limits) ([]*zip.File, error) {
	if total, err := zip64Entries(in); err != nil {
		return nil, in.explain(zipKind.file(), err)
	} else if total > uint64(limits.Members) {
		return nil, tooMany(limits)
	}
	left := int64(limits.Members)*int64(entryBytes+limits.NameBytes) + directoryEnd
	in.left = &left
	dir, err := zip.NewReader(in, in.Size)
	in.left = nil
	switch {
	case left < 0 || err == nil && len(dir.File) > limits.Members:
		return nil, tooMany(limits)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // names are looked at by refuseNames
		return nil, in.explain(zipKind.file(), err)
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	dir.RegisterDecompressor(zipZstd, zstdEntry)
	return dir.File, nil
}

// zstdEntry inflates an entry of a zip file.
func zstdEntry(in io.Reader) io.ReadCloser {
	dec, err := newZstd(in)
	if err != nil {
		return io.NopCloser(failing{err})
	}
	return zstdTexts{dec}
}

// failing is a reader that cannot even begin.
type failing struct{ err error }

// Read fails.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

func tooMany(limits Limits) error {
	return &source.LimitError{Reason: intray.NewMessage("archive.too_many_entries", intray.Params{"limit": limits.Members})}
}

// zip64Entries gives how many entries a large zip file declares, 0 where it
// has no such record: archive/zip makes room for so many before it reads any.
func zip64Entries(in *watched) (uint64, error) {
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

// entryName is an entry's name for people. Old archivers write code page 437,
// and those that write UTF-8 do not always say so.
func entryName(f *zip.File) string {
	name := f.Name
	if !utf8.ValidString(name) {
		name, _ = charmap.CodePage437.NewDecoder().String(name) // it knows every byte
	}
	return visible(name)
}

// visible replaces control characters, which would write to a terminal.
func visible(name string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return unicode.ReplacementChar
		}
		return char
	}, name)
}
