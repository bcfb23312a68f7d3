package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

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
