package ooxml

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/source"
)

// StringLimits holds the resource limits for shared strings. Every field except TempDir must be
// set.
type StringLimits struct {
	// Strings is the maximum number of strings.
	Strings int
	// Bytes is the maximum amount of memory, in bytes. The rest is stored in a temporary file.
	Bytes int
	// TempDir is the folder for the temporary file, or "" for os.TempDir().
	TempDir string
}

// SharedStrings holds the shared strings of a workbook: the first ones in blocks of memory, the
// rest in a file. Each string is stored as its length followed by its bytes. Strings must be
// added first. Afterwards, SharedStrings is safe for concurrent use.
type SharedStrings struct {
	blocks [][]byte
	// positions holds the position of each string in memory. The lower blockBits bits
	// are the offset in the block, and the upper bits are the index of the block.
	positions []uint32
	count     int
	used      int
	limits    StringLimits
	overflow  *stringFile
}

const (
	blockBits  = 20
	blockBytes = 1 << blockBits
	// maxBlocks is the maximum number of blocks that a position can address.
	maxBlocks = 1 << (32 - blockBits)
	// positionBytes is the size of a position, in bytes.
	positionBytes = 4
)

// NewSharedStrings returns an empty table of strings.
func NewSharedStrings(limits StringLimits) *SharedStrings { return &SharedStrings{limits: limits} }

// Len returns the number of strings.
func (t *SharedStrings) Len() int { return t.count }

// Add appends a string, in memory if it fits and otherwise in the file.
func (t *SharedStrings) Add(text []byte) error {
	if t.count >= t.limits.Strings {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_strings", intray.Params{"limit": t.limits.Strings})}
	}
	t.count++
	size := len(text) + binary.MaxVarintLen32
	if t.overflow == nil && t.used+size+positionBytes <= t.limits.Bytes && len(t.blocks) < maxBlocks {
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

// storeInMemory appends a string to the last block in memory, or to a new block.
func (t *SharedStrings) storeInMemory(text []byte, size int) {
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

// Finish flushes the temporary file, if any. It must be called before strings are read.
func (t *SharedStrings) Finish() error {
	if t.overflow == nil {
		return nil
	}
	t.overflow.groupOffsets = append(t.overflow.groupOffsets, t.overflow.size)
	if err := t.overflow.out.Flush(); err != nil {
		return fmt.Errorf("write shared strings to a temporary file: %w", err)
	}
	t.overflow.out = nil
	return nil
}

// Text returns the string with the given index, which must be valid, and the extended buffer. It
// appends the string to buf only if the string is in the temporary file.
func (t *SharedStrings) Text(number int, buf []byte) (text, extended []byte, err error) {
	if number < len(t.positions) {
		return t.inMemory(number), buf, nil
	}
	from := len(buf)
	if buf, err = t.overflow.appendTo(buf, number-len(t.positions)); err != nil {
		return nil, buf, err
	}
	return buf[from:len(buf):len(buf)], buf, nil
}

// inMemory returns the string with the given index. The string must be in memory.
func (t *SharedStrings) inMemory(number int) []byte {
	place := t.positions[number]
	rest := t.blocks[place>>blockBits][place&(blockBytes-1):]
	length, n := uint64(rest[0]), 1
	if length >= 0x80 {
		length, n = binary.Uvarint(rest)
	}
	return rest[n : n+int(length) : n+int(length)]
}

// Close removes the temporary file.
func (t *SharedStrings) Close() error {
	if t.overflow == nil {
		return nil
	}
	return t.overflow.Close()
}

const (
	// groupSize is the number of strings in a group. Memory holds the offset of each group, not
	// of each string.
	groupSize = 16
	// groupBytes is the maximum size of a group that is read and cached as a whole, in bytes.
	groupBytes = 64 << 10
	// cachedGroups is the number of slots in the direct-mapped cache of groups.
	cachedGroups = 256
)

// stringFile holds strings in a temporary file, in groups.
type stringFile struct {
	file  *filesys.TempFile
	out   *bufio.Writer
	size  int64
	count int
	// groupOffsets holds the offset of each group in the file, followed by the size of the file.
	groupOffsets []int64

	// mu guards the fields below, because several sheets may be read at once.
	mu        sync.Mutex
	cache     [cachedGroups]group
	lengthBuf [binary.MaxVarintLen64]byte
}

// group is a cached group. number is the index of the group plus 1, or 0 if the slot is empty.
type group struct {
	number int
	text   []byte
}

func newStringFile(folder string) (*stringFile, error) {
	file, err := filesys.CreateTemp(folder, "intray-strings-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file for shared strings: %w", err)
	}
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

// appendTo appends a string to dst. number is the index of the string among those in the file.
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

// appendLarge appends a string from a group that is too large for the cache.
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

// Close closes and removes the file.
func (s *stringFile) Close() error { return s.file.Close() }
