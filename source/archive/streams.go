package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// errTrailing reports data after the last stream of a gzip file.
var errTrailing = &fault{intray.NewMessage("archive.trailing_bytes", nil)}

// multiGzipReader reads all streams of a gzip file as one text.
type multiGzipReader struct {
	in *bufio.Reader
	z  *gzip.Reader
	// streams counts the streams, and padding the NUL bytes after the last one.
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

// Read may return no bytes at the end of a stream, so that the caller can check its
// context even in a file of a million empty streams.
func (g *multiGzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		if errors.Is(err, io.EOF) {
			err = nil // it comes again
		}
		return n, err
	}
	return 0, g.nextStream()
}

// nextStream starts the next stream. Some tools pad the last block of a file with NUL
// bytes.
func (g *multiGzipReader) nextStream() error {
	first, err := g.in.Peek(1)
	if err != nil {
		return err
	}
	if first[0] == 0 {
		return g.skipPadding()
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

func (g *multiGzipReader) skipPadding() error {
	rest, err := g.in.Peek(g.in.Buffered())
	if err != nil {
		return err
	}
	zeros := len(rest) - len(bytes.TrimLeft(rest, "\x00"))
	g.padding += int64(zeros)
	_, err = g.in.Discard(zeros)
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

// zstdWindow is the most memory in bytes that a zstd file may require, which is what
// the compressor uses at its highest level.
const zstdWindow = 128 << 20

func newZstdDecoder(in io.Reader) (*zstd.Decoder, error) {
	// Without this, the decoder reads ahead in another goroutine.
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecodeBuffersBelow(0))
}

// zstdReader translates errors of the decoder.
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

// Close releases the memory of the decoder.
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

// storedName returns the file name that a gzip header stores, without its folders, or
// "" if that is not a file name.
func storedName(stored string) string {
	// The standard says Latin-1, but most tools write UTF-8.
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

// trimExtension returns a file name without one of the extensions, in any case.
func trimExtension(name string, endings ...string) string {
	for _, ending := range endings {
		if rest := len(name) - len(ending); rest > 0 && strings.EqualFold(name[rest:], ending) {
			return name[:rest]
		}
	}
	return name
}
