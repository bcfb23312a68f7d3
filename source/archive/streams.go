package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// errTrailing reports data after the last stream of a gzip file.
var errTrailing = &fault{intray.NewMessage("archive.trailing_bytes", nil)}

// multiGzipReader reads the concatenated content of all streams of a gzip file.
type multiGzipReader struct {
	in *bufio.Reader
	z  *gzip.Reader
	// streams is the number of streams, and padding is the number of NUL bytes after the last
	// one.
	streams int64
	padding int64
}

func newMultiGzipReader(in io.Reader) (*multiGzipReader, error) {
	g := &multiGzipReader{in: bufio.NewReaderSize(in, 32<<10), streams: 1}
	z, err := gzip.NewReader(g.in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	g.z = z
	return g, nil
}

// Read may return 0 bytes at the end of a stream, so that the caller can check its context
// even if the file consists of a million empty streams.
func (g *multiGzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		if errors.Is(err, io.EOF) {
			err = nil // the next call returns it again
		}
		return n, err
	}
	return 0, g.nextStream()
}

// nextStream starts the next stream. Some tools pad the last block of a file with NUL bytes.
func (g *multiGzipReader) nextStream() error {
	first, err := g.in.Peek(1)
	if err != nil {
		return err
	}
	if first[0] == 0 {
		rest, err := g.in.Peek(g.in.Buffered())
		if err != nil {
			return err
		}
		zeros := len(rest) - len(bytes.TrimLeft(rest, "\x00"))
		g.padding += int64(zeros)
		_, err = g.in.Discard(zeros)
		return err
	}
	if g.padding > 0 {
		return errTrailing
	}
	err = g.z.Reset(g.in)
	g.z.Multistream(false)
	g.streams++
	if errors.Is(err, gzip.ErrHeader) {
		return errTrailing
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (u *unpacker) openGzip(ctx context.Context) error {
	src, err := newMultiGzipReader(io.NewSectionReader(u.in, 0, u.in.Size))
	if err != nil {
		return readError(u.in, gzipKind.file(), err)
	}
	name, why := storedName(src.z.Name), intray.NewMessage("archive.stored_name", nil)
	if name == "" {
		name, why = trimExtension(u.in.Name, ".gz", ".gzip"), u.kind.bareName()
	}
	if err := u.addSingleMember(ctx, name, why, src); err != nil {
		return err
	}
	if src.streams > 1 {
		u.remarks = append(u.remarks, intray.NewMessage("archive.several_streams", intray.Params{"n": src.streams}))
	}
	if src.padding > 0 {
		u.remarks = append(u.remarks, intray.NewMessage("archive.padding", intray.Params{"n": src.padding}))
	}
	return nil
}

// zstdWindow is the maximum window size of a zstd file in bytes. The zstd compressor uses this
// size at its highest level.
const zstdWindow = 128 << 20

func newZstdDecoder(in io.Reader) (*zstd.Decoder, error) {
	// With a higher concurrency, the decoder would read ahead in another goroutine.
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecodeBuffersBelow(0))
}

// zstdReader converts errors of the decoder.
type zstdReader struct{ *zstd.Decoder }

// Read reads inflated bytes.
func (z zstdReader) Read(p []byte) (int, error) {
	n, err := z.Decoder.Read(p)
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = &source.LimitError{Reason: intray.NewMessage("archive.window_too_large", intray.Params{"limit": zstdWindow})}
	case errors.Is(err, zstd.ErrUnknownDictionary):
		err = &fault{intray.NewMessage("archive.unknown_dictionary", nil)}
	}
	return n, err
}

// Close releases the resources of the decoder.
func (z zstdReader) Close() error {
	z.Decoder.Close()
	return nil
}

func (u *unpacker) openZstd(ctx context.Context) error {
	dec, err := newZstdDecoder(io.NewSectionReader(u.in, 0, u.in.Size))
	if err != nil {
		return readError(u.in, zstdKind.file(), err)
	}
	defer dec.Close()
	return u.addSingleMember(ctx, trimExtension(u.in.Name, ".zst", ".zstd"), u.kind.bareName(), zstdReader{dec})
}

// storedName returns the file name in a gzip header, without folders. It returns "" if the
// header does not contain a valid file name.
func storedName(stored string) string {
	// RFC 1952 specifies Latin-1, but most tools write UTF-8.
	raw := make([]byte, 0, len(stored))
	for _, char := range stored {
		raw = append(raw, byte(char))
	}
	if utf8.Valid(raw) {
		stored = string(raw)
	}
	name := path.Base(strings.ReplaceAll(stored, `\`, "/"))
	if name == "." || name == ".." || name == "/" {
		return ""
	}
	return replaceControlChars(name)
}

// trimExtension returns a file name without its extension, if endings contains that extension.
// It ignores case.
func trimExtension(name string, endings ...string) string {
	for _, ending := range endings {
		if rest := len(name) - len(ending); rest > 0 && strings.EqualFold(name[rest:], ending) {
			return name[:rest]
		}
	}
	return name
}

// fault reports damage that the decompression libraries do not detect.
type fault struct{ problem intray.Message }

func (f *fault) Error() string { return f.problem.String() }

// readError converts an error from reading the archive to the error to report. It returns the
// failure of the store if the store has failed, and otherwise an error that describes the
// damage. The parameter what names the damaged file.
func readError(in *zipfile.Input, what intray.Message, err error) error {
	var limit *source.LimitError
	failed := in.Failure()
	switch {
	case failed != nil:
		return fmt.Errorf("read %s: %w", what, failed)
	case errors.As(err, &limit):
		return &source.LimitError{Reason: within(what, limit.Reason)}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &source.UnreadableError{Reason: intray.NewMessage("archive.cut_short", intray.Params{"what": what})}
	}
	return &source.UnreadableError{Reason: intray.NewMessage("archive.damaged", intray.Params{"what": what, "problem": problemOf(err)})}
}

// problemOf returns the message for an error of a decompression library.
func problemOf(err error) intray.Message {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.problem
	case errors.Is(err, zipfile.ErrDirectoryTooLarge):
		return intray.NewMessage("archive.directory_too_large", nil)
	case errors.Is(err, zipfile.ErrOutside):
		return intray.NewMessage("archive.entry_outside", nil)
	case errors.Is(err, zip.ErrFormat):
		return intray.NewMessage("archive.no_directory", nil)
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return intray.NewMessage("archive.wrong_checksum", nil)
	}
	return intray.NewMessage("archive.invalid_bytes", nil)
}

// spool is the temporary file that holds all inflated members in sequence. A file per member
// could exceed the limit on open files.
type spool struct {
	file *filesys.TempFile
	size int64

	once   sync.Once
	closed error
}

func newSpool(folder string) (*spool, error) {
	file, err := filesys.CreateTemp(folder, "intray-archive-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for inflated bytes: %w", err)
	}
	return &spool{file: file}, nil
}

func (s *spool) write(text []byte) error {
	n, err := s.file.WriteAt(text, s.size)
	s.size += int64(n)
	if err != nil {
		return fmt.Errorf("write inflated bytes to a temporary file: %w", err)
	}
	return nil
}

// rewind truncates the file to size bytes.
func (s *spool) rewind(size int64) error {
	if s.size == size {
		return nil
	}
	s.size = size
	if err := s.file.Truncate(size); err != nil {
		return fmt.Errorf("shorten the temporary file of inflated bytes: %w", err)
	}
	return nil
}

// Close removes the file. It can be called more than once.
func (s *spool) Close() error {
	s.once.Do(func() {
		if err := s.file.Close(); err != nil {
			s.closed = fmt.Errorf("close the temporary file of inflated bytes: %w", err)
		}
	})
	return s.closed
}
