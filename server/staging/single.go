package staging

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
)

// singleSuffix is the end of the location of a stage that consists of one file.
const singleSuffix = ".parquet"

// trailerMagic begins the trailer of a single file. Three lengths in bytes follow, each in 8 bytes, the
// lowest byte first: of problems.parquet, problems.roar and manifest.json.
const (
	trailerMagic = "INTRAYST"
	trailerSize  = len(trailerMagic) + 3*8
	// footerTail is the size of the end of a Parquet file: the length of the footer, and the magic.
	footerTail = 4 + len(parquetio.Magic)
	// openTail is the number of bytes that are read to open a single file. Most small stages have a
	// smaller footer and manifest.
	openTail = 64 << 10
)

// heldFiles keeps the files of a stage in memory until it is known whether the stage is small.
type heldFiles struct {
	// limit is the maximum size of a small stage in bytes.
	limit  int64
	create func(name string) (blob.Writer, error)
	files  []*heldFile
}

// heldFile is a file of the stage. If it exceeds the limit, it is written to a blob.
type heldFile struct {
	held    *heldFiles
	name    string
	content bytes.Buffer
	blob    blob.Writer
}

func (h *heldFiles) newFile(name string) (blob.Writer, error) {
	if h.limit == 0 {
		return h.create(name)
	}
	f := &heldFile{held: h, name: name}
	h.files = append(h.files, f)
	return f, nil
}

func (f *heldFile) Write(b []byte) (int, error) {
	if f.blob == nil && int64(f.content.Len()+len(b)) <= f.held.limit {
		return f.content.Write(b)
	}
	if err := f.spill(); err != nil {
		return 0, err
	}
	return f.blob.Write(b)
}

// spill begins to write the file to a blob.
func (f *heldFile) spill() (err error) {
	if f.blob != nil {
		return nil
	}
	if f.blob, err = f.held.create(f.name); err != nil {
		return err
	}
	_, err = writeAll(f.blob, f.content.Bytes())
	f.content = bytes.Buffer{}
	return err
}

// Commit commits the blob, if the file has been written to one.
func (f *heldFile) Commit() error {
	if f.blob == nil {
		return nil
	}
	return f.blob.Commit()
}

func (f *heldFile) Abort() {
	if f.blob != nil {
		f.blob.Abort()
	}
}

// isSmall reports whether all files are still in memory and fit in a single file.
func (h *heldFiles) isSmall() bool {
	size, segments := int64(0), 0
	for _, f := range h.files {
		if f.blob != nil {
			return false
		}
		size += int64(f.content.Len())
		if f.name != problemsName && f.name != bitmapsName {
			segments++
		}
	}
	return size <= h.limit && segments == 1
}

// commit writes the files that are still in memory to blobs.
func (h *heldFiles) commit() error {
	for _, f := range h.files {
		if f.blob != nil {
			continue // it was committed when it was complete
		}
		if err := f.spill(); err != nil {
			return err
		}
		if err := f.blob.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// abort discards the files that were not committed.
func (h *heldFiles) abort() {
	for _, f := range h.files {
		f.Abort()
	}
}

// singleFile returns the content of the only segment, with the other files and the manifest before its
// footer. It is still a Parquet file, because the footer contains the locations of the rows.
func (h *heldFiles) singleFile(manifest []byte) []byte {
	contents := map[string][]byte{}
	var segment []byte
	for _, f := range h.files {
		contents[f.name] = f.content.Bytes()
		if f.name != problemsName && f.name != bitmapsName {
			segment = f.content.Bytes()
		}
	}
	tail := segment[len(segment)-footerTail:]
	footer := len(segment) - footerTail - int(binary.LittleEndian.Uint32(tail))
	out := append([]byte{}, segment[:footer]...)
	trailer := []byte(trailerMagic)
	for _, more := range [][]byte{contents[problemsName], contents[bitmapsName], manifest} {
		out = append(out, more...)
		trailer = binary.LittleEndian.AppendUint64(trailer, uint64(len(more)))
	}
	out = append(out, trailer...)
	return append(out, segment[footer:]...)
}

// single is an open stage that consists of one file.
type single struct {
	blob.Reader
	// starts are the locations of the other files in it, by their names.
	starts map[string]int64
	// manifest is the location of the manifest, and footer that of the Parquet footer.
	manifest, footer int64
}

// restOf returns where the bytes after the contents of a file begin and end. The contents have the given
// size. The footer of the segment does not directly follow its rows.
func (s *single) restOf(name string, contents int64) (start, end int64, err error) {
	switch name {
	case problemsName:
		return s.starts[name] + contents, s.starts[bitmapsName], nil
	case bitmapsName:
		return s.starts[name] + contents, s.manifest, nil
	}
	if contents != s.starts[problemsName] {
		return 0, 0, fmt.Errorf("%w: the rows end at byte %d, not %d", ErrDamaged, contents, s.starts[problemsName])
	}
	return s.footer, s.Size(), nil
}

// openSingle opens a stage that consists of one file, and reads its manifest.
func openSingle(ctx context.Context, store blob.Store, key string) (*single, *Manifest, error) {
	r, err := store.Open(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	s := &single{Reader: r}
	m, err := s.readManifest()
	if err != nil {
		return nil, nil, errors.Join(err, r.Close())
	}
	return s, m, nil
}

func (s *single) readManifest() (*Manifest, error) {
	tail := make([]byte, min(s.Size(), openTail))
	if err := s.readAll(tail, s.Size()-int64(len(tail))); err != nil {
		return nil, err
	}
	if len(tail) < footerTail || !bytes.HasSuffix(tail, []byte(parquetio.Magic)) {
		return nil, fmt.Errorf("%w: it is not a Parquet file", ErrDamaged)
	}
	end := s.Size() - int64(footerTail) - int64(binary.LittleEndian.Uint32(tail[len(tail)-footerTail:]))
	trailer, err := s.within(tail, end-int64(trailerSize), end)
	if err != nil {
		return nil, err
	}
	lengths, isTrailer := bytes.CutPrefix(trailer, []byte(trailerMagic))
	if !isTrailer {
		return nil, fmt.Errorf("%w: the file has no trailer", ErrDamaged)
	}
	var sizes [3]int64
	start := end - int64(trailerSize)
	for i := range sizes {
		size := binary.LittleEndian.Uint64(lengths[8*i:])
		if size > uint64(start) {
			return nil, fmt.Errorf("%w: the file is truncated", ErrDamaged)
		}
		sizes[i] = int64(size)
	}
	manifestAt := start - sizes[2]
	text, err := s.within(tail, manifestAt, start)
	if err != nil {
		return nil, err
	}
	s.manifest, s.footer = manifestAt, end
	s.starts = map[string]int64{bitmapsName: manifestAt - sizes[1], problemsName: manifestAt - sizes[1] - sizes[0]}
	return parseManifest(text)
}

// within returns the bytes from one position to another. It reads them only if tail, the end of the
// file, does not contain them.
func (s *single) within(tail []byte, from, to int64) ([]byte, error) {
	if from < 0 || to > s.Size() || from > to {
		return nil, fmt.Errorf("%w: the file is truncated", ErrDamaged)
	}
	if first := s.Size() - int64(len(tail)); from >= first {
		return tail[from-first : to-first], nil
	}
	b := make([]byte, to-from)
	return b, s.readAll(b, from)
}

func (s *single) readAll(b []byte, offset int64) error {
	n, err := s.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n < len(b) {
		return fmt.Errorf("%w: the file is truncated", ErrDamaged)
	}
	return nil
}

// Find returns the location of the stage that was written with a prefix, for callers that did not
// store it. If no single file exists, it returns the prefix.
func Find(ctx context.Context, store blob.Store, prefix string) (location string, err error) {
	r, err := store.Open(ctx, prefix+singleSuffix)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return prefix, nil
	case err != nil:
		return "", fmt.Errorf("find the stage %s: %w", prefix, err)
	}
	return prefix + singleSuffix, r.Close()
}

func isSingle(location string) bool { return strings.HasSuffix(location, singleSuffix) }
