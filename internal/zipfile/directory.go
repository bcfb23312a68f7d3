package zipfile

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/intraydata/intray"
)

var (
	// ErrTooManyEntries reports that a directory has more entries, or takes more
	// bytes, than allowed.
	ErrTooManyEntries = errors.New("the archive has too many entries")
	// ErrDirectoryTooLarge reports that reading a directory takes too many bytes.
	ErrDirectoryTooLarge = errors.New("the directory of the archive is too large")
)

// searchBytes is the most bytes to read to find the directory at the end of a file.
const searchBytes = 256 << 10

// ReadDirectory lists the entries of an archive, at most entries of them, each
// with entryBytes in the directory. What the archive declares about its size is
// not trusted. Beyond a limit the error is ErrTooManyEntries; other errors are
// those of archive/zip and of the input. Names are not checked.
func ReadDirectory(in *Input, entries, entryBytes int) (*zip.Reader, error) {
	r := &budgetReader{in: in, left: int64(entries)*int64(entryBytes) + searchBytes}
	dir, err := zip.NewReader(r, in.Size)
	r.unlimited = true // later reads are counted as they inflate
	if errors.Is(err, zip.ErrInsecurePath) {
		err = nil
	}
	if r.left < 0 || err == nil && len(dir.File) > entries {
		return nil, ErrTooManyEntries
	}
	if err != nil {
		return nil, err
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	return dir, nil
}

// budgetReader reads a limited number of bytes.
type budgetReader struct {
	in        *Input
	left      int64
	unlimited bool
}

// ReadAt reads as long as the budget lasts.
func (r *budgetReader) ReadAt(p []byte, at int64) (int, error) {
	if !r.unlimited {
		if r.left -= int64(len(p)); r.left < 0 {
			return 0, ErrDirectoryTooLarge
		}
	}
	return r.in.ReadAt(p, at)
}

// NameProblem returns what is wrong with the name of an entry, and the zero
// Message for a name that stays within the folder where it is unpacked.
func NameProblem(name string) intray.Message {
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

// HeaderError reports an entry whose header cannot be read.
type HeaderError struct {
	Entry string
	Err   error
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("read the header of the entry %q: %v", e.Entry, e.Err)
}

// Unwrap returns the error of reading.
func (e *HeaderError) Unwrap() error { return e.Err }

// OutsideError reports an entry that ends after the end of the file.
type OutsideError struct{ Entry string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("the entry %q ends after the end of the file", e.Entry)
}

// OverlapError reports two entries that share bytes.
type OverlapError struct{ First, Second string }

func (e *OverlapError) Error() string {
	return fmt.Sprintf("the entries %q and %q overlap", e.First, e.Second)
}

// headerBytes is the fixed part of the header before the bytes of an entry.
const headerBytes = 30

// CheckExtents checks that every entry lies within the file and that no two of
// them share bytes, which no archiver writes and archives that inflate endlessly
// have. Errors are *HeaderError, *OutsideError and *OverlapError.
func CheckExtents(in *Input, files []*zip.File) error {
	type extent struct {
		name       string
		begin, end int64
	}
	list := make([]extent, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		if err != nil {
			return &HeaderError{f.Name, err}
		}
		size := int64(min(f.CompressedSize64, uint64(in.Size)))
		if at+size > in.Size {
			return &OutsideError{f.Name}
		}
		list = append(list, extent{f.Name, at - headerBytes - int64(len(f.Name)), at + size})
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	for i := 1; i < len(list); i++ {
		if list[i].begin < list[i-1].end {
			return &OverlapError{list[i-1].name, list[i].name}
		}
	}
	return nil
}
