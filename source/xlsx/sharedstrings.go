package xlsx

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// sharedStrings holds the shared strings: the first ones in blocks of memory, the rest
// in a file. Each is stored as its length and its text.
type sharedStrings struct {
	blocks [][]byte
	// positions has the block of each string in memory and, in the lower blockBits, its
	// offset in the block.
	positions []uint32
	count     int
	used      int
	limits    Limits
	overflow  *stringFile
}

const (
	blockBits  = 20
	blockBytes = 1 << blockBits
	// maxBlocks is the most blocks that a position can address.
	maxBlocks = 1 << (32 - blockBits)
	// positionBytes is the memory that a position takes.
	positionBytes = 4
)

// readSharedStrings reads a part. Without a name the table is empty.
func readSharedStrings(ctx context.Context, arc *archive, name string) (*sharedStrings, error) {
	t := &sharedStrings{limits: arc.limits}
	if name == "" {
		return t, nil
	}
	p, err := arc.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	s, err := newScanner(p, name, arc.limits)
	if err == nil {
		err = t.read(s)
	}
	if err == nil {
		err = t.finish()
	}
	if err != nil {
		return nil, errors.Join(zipfile.Cause(ctx, err), t.Close())
	}
	return t, nil
}

func (t *sharedStrings) read(s *xmlscan.Scanner) error {
	if err := s.OpenRoot("sst"); err != nil {
		return err
	}
	var text []byte
	for {
		more, err := s.NextChild()
		if err != nil || !more {
			return err
		}
		if string(s.Name) != "si" {
			if err := s.Skip(); err != nil {
				return err
			}
			continue
		}
		if text, err = appendRichText(s, text[:0]); err != nil {
			return err
		}
		if err := t.addString(text); err != nil {
			return err
		}
	}
}

// addString appends a string.
func (t *sharedStrings) addString(text []byte) error {
	if t.count >= t.limits.Strings {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_strings", intray.Params{"limit": t.limits.Strings})}
	}
	t.count++
	size := len(text) + binary.MaxVarintLen32
	if t.overflow == nil && t.used+size+positionBytes <= t.limits.StringBytes && len(t.blocks) < maxBlocks {
		t.storeInMemory(text, size)
		return nil
	}
	if t.overflow == nil {
		made, err := newStringFile(t.limits.TempDir)
		if err != nil {
			return err
		}
		t.overflow = made
	}
	return t.overflow.appendString(text)
}

// storeInMemory stores a string in memory.
func (t *sharedStrings) storeInMemory(text []byte, size int) {
	last := len(t.blocks) - 1
	if last < 0 || cap(t.blocks[last])-len(t.blocks[last]) < size {
		t.blocks = append(t.blocks, make([]byte, 0, max(blockBytes, size)))
		last++
	}
	block := t.blocks[last]
	t.positions = append(t.positions, uint32(last)<<blockBits|uint32(len(block)))
	t.blocks[last] = append(binary.AppendUvarint(block, uint64(len(text))), text...)
	t.used += len(t.blocks[last]) - len(block) + positionBytes
}

// finish makes all added strings readable.
func (t *sharedStrings) finish() error {
	if t.overflow == nil {
		return nil
	}
	return t.overflow.finishWriting()
}

// get returns a string in memory by its number.
func (t *sharedStrings) get(number int) []byte {
	place := t.positions[number]
	rest := t.blocks[place>>blockBits][place&(blockBytes-1):]
	length, n := uint64(rest[0]), 1
	if length >= 0x80 {
		length, n = binary.Uvarint(rest)
	}
	return rest[n : n+int(length) : n+int(length)]
}

// Close removes the temporary file.
func (t *sharedStrings) Close() error {
	if t.overflow == nil {
		return nil
	}
	return t.overflow.Close()
}

const (
	// groupSize is how many strings share an entry of the index.
	groupSize = 16
	// groupBytes is the size up to which a group is read and cached as a whole.
	groupBytes = 64 << 10
	// cachedGroups is the size of the direct-mapped cache of groups.
	cachedGroups = 256
)

// stringFile holds strings in a temporary file, in groups.
type stringFile struct {
	file  *os.File
	out   *bufio.Writer
	size  int64
	count int
	// groupOffsets has the offset of each group, followed by the size of the file.
	groupOffsets []int64

	// mu guards the fields below, because several sheets may be read at once.
	mu        sync.Mutex
	cache     [cachedGroups]group
	lengthBuf [binary.MaxVarintLen64]byte
}

// group is a cached group. Its number counts from 1, and 0 means an empty slot.
type group struct {
	number int
	text   []byte
}

func newStringFile(folder string) (*stringFile, error) {
	file, err := os.CreateTemp(folder, "intray-strings-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for shared strings: %w", err)
	}
	// Unlink the file at once where the system allows it, so that nothing remains if
	// the program dies. Close removes it elsewhere.
	_ = os.Remove(file.Name())
	return &stringFile{file: file, out: bufio.NewWriterSize(file, 64<<10)}, nil
}

func (s *stringFile) appendString(text []byte) error {
	if s.count%groupSize == 0 {
		s.groupOffsets = append(s.groupOffsets, s.size)
	}
	s.count++
	head := binary.AppendUvarint(s.lengthBuf[:0], uint64(len(text)))
	_, err := s.out.Write(head)
	if err == nil {
		_, err = s.out.Write(text)
	}
	if err != nil {
		return fmt.Errorf("write shared strings to a temporary file: %w", err)
	}
	s.size += int64(len(head) + len(text))
	return nil
}

// finishWriting flushes all strings to the file.
func (s *stringFile) finishWriting() error {
	s.groupOffsets = append(s.groupOffsets, s.size)
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("write shared strings to a temporary file: %w", err)
	}
	s.out = nil
	return nil
}

// appendTo appends a string to dst.
func (s *stringFile) appendTo(dst []byte, number int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := number / groupSize
	if s.groupOffsets[n+1]-s.groupOffsets[n] > groupBytes {
		return s.appendLarge(dst, s.groupOffsets[n], number%groupSize)
	}
	g := &s.cache[n%cachedGroups]
	if g.number != n+1 {
		if err := s.loadGroup(g, n); err != nil {
			return dst, err
		}
	}
	rest := g.text
	for skip := number % groupSize; ; skip-- {
		length, size := binary.Uvarint(rest)
		if skip == 0 {
			return append(dst, rest[size:size+int(length)]...), nil
		}
		rest = rest[size+int(length):]
	}
}

func (s *stringFile) loadGroup(g *group, n int) error {
	size := int(s.groupOffsets[n+1] - s.groupOffsets[n])
	if cap(g.text) < size {
		g.text = make([]byte, size)
	}
	g.number, g.text = 0, g.text[:size]
	if err := s.readAt(g.text, s.groupOffsets[n]); err != nil {
		return err
	}
	g.number = n + 1
	return nil
}

// appendLarge appends a string of a group that is too large for the cache.
func (s *stringFile) appendLarge(dst []byte, at int64, skip int) ([]byte, error) {
	for ; ; skip-- {
		head := s.lengthBuf[:min(int64(len(s.lengthBuf)), s.size-at)]
		if err := s.readAt(head, at); err != nil {
			return dst, err
		}
		length, size := binary.Uvarint(head)
		at += int64(size)
		if skip == 0 {
			from := len(dst)
			dst = append(dst, make([]byte, length)...)
			return dst, s.readAt(dst[from:], at)
		}
		at += int64(length)
	}
}

func (s *stringFile) readAt(p []byte, at int64) error {
	if _, err := s.file.ReadAt(p, at); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read shared strings from their temporary file: %w", err)
	}
	return nil
}

// Close removes the file.
func (s *stringFile) Close() error {
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
