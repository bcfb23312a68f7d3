package zipfile

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

var (
	// ErrTooManyEntries reports that a directory exceeds the maximum number of entries or bytes.
	ErrTooManyEntries = errors.New("the archive has too many entries")
	// ErrDirectoryTooLarge is the error of a read that exceeds the maximum number of bytes for a
	// directory.
	ErrDirectoryTooLarge = errors.New("the directory of the archive is too large")
)

// searchBytes is the maximum number of bytes read to find the directory at the end of a file.
const searchBytes = 256 << 10

// ReadDirectory reads the directory of an archive. The directory can have at most the given
// number of entries, with an average of at most entryBytes bytes each. ReadDirectory does not
// trust the sizes that the archive declares, and returns ErrTooManyEntries if a limit is
// exceeded. Other errors come from archive/zip and the input. ReadDirectory does not check names.
func ReadDirectory(in *Input, entries, entryBytes int) (*zip.Reader, error) {
	r := &budgetReader{in: in, left: int64(entries)*int64(entryBytes) + searchBytes}
	dir, err := zip.NewReader(r, in.Size)
	r.unlimited = true // the bytes of entries are counted when they are inflated
	if errors.Is(err, zip.ErrInsecurePath) {
		err = nil
	}
	if r.left < 0 || err == nil && len(dir.File) > entries {
		return nil, ErrTooManyEntries
	}
	if err != nil {
		return nil, err
	}
	dir.RegisterDecompressor(zip.Deflate, newInflater)
	return dir, nil
}

// budgetReader returns ErrDirectoryTooLarge for reads that exceed its budget, unless unlimited
// is set. The field left is the number of bytes that may still be read.
type budgetReader struct {
	in        *Input
	left      int64
	unlimited bool
}

// ReadAt reads bytes, or returns ErrDirectoryTooLarge if they would exceed the budget.
func (r *budgetReader) ReadAt(p []byte, at int64) (int, error) {
	if !r.unlimited {
		if r.left -= int64(len(p)); r.left < 0 {
			return 0, ErrDirectoryTooLarge
		}
	}
	return r.in.ReadAt(p, at)
}

// NameProblem returns the problem with the name of an entry. It returns the zero Message if a
// file with this name would be unpacked inside the target folder.
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

// HeaderError reports that the header of an entry cannot be read.
type HeaderError struct {
	Entry string
	Err   error
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("read the header of the entry %q: %v", e.Entry, e.Err)
}

// Unwrap returns the read error.
func (e *HeaderError) Unwrap() error { return e.Err }

// OutsideError reports that an entry extends beyond the end of the file.
type OutsideError struct{ Entry string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("the entry %q ends after the end of the file", e.Entry)
}

// OverlapError reports that two entries share bytes of the file.
type OverlapError struct{ First, Second string }

func (e *OverlapError) Error() string {
	return fmt.Sprintf("the entries %q and %q overlap", e.First, e.Second)
}

// headerBytes is the size of the fixed part of a local file header in bytes.
const headerBytes = 30

// CheckExtents checks that every entry lies within the file and that no two entries share
// bytes. Archivers never write overlapping entries, but zip bombs use them. It returns a
// *HeaderError, an *OutsideError or an *OverlapError.
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
