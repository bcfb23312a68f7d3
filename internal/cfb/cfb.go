// Package cfb reads OLE2 compound files: .xls workbooks, and .xlsx workbooks that are encrypted.
//
// A [File] consists of sectors of equal size. A table of links, the FAT, joins sectors into
// chains. A [Stream] is the chain to which an [Entry] in the directory refers. Streams shorter
// than 4,096 bytes are chains of small sectors in the mini stream.
//
// Regardless of what a file declares, opening it uses only a few bytes of memory for each sector
// that fits into the file, and loops of links are detected. In the usual Go reader (mscfb), the
// file determines the depth of recursion and how often a chain is followed from its beginning.
//
// If a file cannot be read, functions return a *[DamageError]. They return errors of the store
// wrapped. A truncated file can be opened, but its chains end early and its streams are
// truncated.
//
// The package finds only streams outside storages (folders). It does not read
// properties or write files.
package cfb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/intraydata/intray"
)

// Magic is the signature in the first eight bytes of a compound file.
const Magic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

const (
	headerBytes = 512
	entryBytes  = 128
	// miniSectorBytes is the size of a sector in the mini stream, in bytes. The mini
	// stream holds the streams that are shorter than miniCutoff.
	miniSectorBytes = 64
	miniCutoff      = 4096
	// maxSector is the largest valid sector number. Larger numbers are markers, such as the end
	// of a chain.
	maxSector  = 0xFFFFFFFA
	endOfChain = 0xFFFFFFFE
)

// DamageError reports a file that cannot be read.
type DamageError struct {
	// Reason is a sentence without a final period.
	Reason intray.Message
}

func (e *DamageError) Error() string { return e.Reason.String() }

func damaged(problem intray.Message) error {
	return &DamageError{intray.NewMessage("xls.container_damaged", intray.Params{"problem": problem})}
}

// File is an opened compound file. It is immutable and safe for concurrent use.
type File struct {
	in   io.ReaderAt
	size int64
	// shift is the binary logarithm of the size of a sector in bytes.
	shift uint
	// sectorCount is the number of sectors that fit into the file. The last sector may
	// be truncated.
	sectorCount int64
	fat         []uint32
	// version is 3 or 4.
	version   uint16
	directory *Stream
	// miniStream holds the short streams, and miniFAT links its sectors.
	miniStream *Stream
	miniFAT    []uint32
}

var little = binary.LittleEndian

// Open reads the tables of a compound file with the given size in bytes.
func Open(in io.ReaderAt, size int64) (*File, error) {
	if size < headerBytes {
		return nil, &DamageError{intray.NewMessage("xls.too_short", intray.Params{"size": size})}
	}
	head := make([]byte, headerBytes)
	if err := readFull(in, head, 0); err != nil {
		return nil, err
	}
	f := &File{in: in, size: size, version: little.Uint16(head[26:]), shift: uint(little.Uint16(head[30:]))}
	if f.shift != 9 && f.shift != 12 {
		return nil, damaged(intray.NewMessage("xls.sector_size", intray.Params{"exponent": int(f.shift)}))
	}
	f.sectorCount = (size - 1) >> f.shift // the header takes the space of one sector
	if err := f.loadFAT(head); err != nil {
		return nil, err
	}
	var err error
	if f.directory, err = f.readChain(little.Uint32(head[48:]), math.MaxInt64); err != nil {
		return nil, err
	}
	return f, f.loadMiniStream(little.Uint32(head[60:]))
}

// sectorOffset returns the offset of a sector in the file.
func (f *File) sectorOffset(sector uint32) int64 { return (int64(sector) + 1) << f.shift }

// readSector reads a sector that is within the file. If the sector is truncated, the
// missing bytes are 0xFF, which marks free sectors.
func (f *File) readSector(number uint32, into []byte) error {
	n := min(int64(len(into)), f.size-f.sectorOffset(number))
	for i := n; i < int64(len(into)); i++ {
		into[i] = 0xFF
	}
	return readFull(f.in, into[:n], f.sectorOffset(number))
}

// loadFAT reads the FAT. Its sectors are listed in the header and in the sectors of the
// DIFAT. loadFAT reads no more of them than the size of the file requires.
func (f *File) loadFAT(head []byte) error {
	buf := make([]byte, 1<<f.shift)
	most := int(f.sectorCount<<2>>f.shift) + 1
	list := regularSectors(head[76:])
	next, seen := little.Uint32(head[68:]), newBitset(f.sectorCount)
	for next <= maxSector && int64(next) < f.sectorCount && len(list) < most {
		if !seen.set(next) {
			return damaged(intray.NewMessage("xls.circular_tables", nil))
		}
		if err := f.readSector(next, buf); err != nil {
			return err
		}
		list = append(list, regularSectors(buf[:len(buf)-4])...)
		next = little.Uint32(buf[len(buf)-4:])
	}
	for _, number := range list[:min(len(list), most)] {
		if int64(number) >= f.sectorCount {
			break // truncated: chains that lead to the missing sectors end early
		}
		if err := f.readSector(number, buf); err != nil {
			return err
		}
		f.fat = appendUint32s(f.fat, buf)
	}
	return nil
}

// regularSectors returns the sector numbers before the first marker.
func regularSectors(raw []byte) []uint32 {
	list := appendUint32s(nil, raw)
	for i, number := range list {
		if number > maxSector {
			return list[:i]
		}
	}
	return list
}

func appendUint32s(list []uint32, raw []byte) []uint32 {
	for ; len(raw) >= 4; raw = raw[4:] {
		list = append(list, little.Uint32(raw))
	}
	return list
}

// readChain returns the chain that begins at the sector with the number start, as a stream of at
// most size bytes. The stream is truncated if the chain ends early or extends beyond the end of
// the file.
func (f *File) readChain(start uint32, size int64) (*Stream, error) {
	s := &Stream{in: f.in, declaredSize: size}
	seen := newBitset(f.sectorCount)
	for next := start; s.size < size && next <= maxSector && int64(next) < f.sectorCount; {
		if !seen.set(next) {
			return nil, damaged(intray.NewMessage("xls.circular_sectors", nil))
		}
		at := f.sectorOffset(next)
		s.addRun(at, min(1<<f.shift, size-s.size, f.size-at))
		if at+1<<f.shift > f.size {
			break
		}
		if int64(next) >= int64(len(f.fat)) {
			break
		}
		next = f.fat[next]
	}
	return s, nil
}

// loadMiniStream reads the mini stream and its table. The first entry in the directory
// refers to the mini stream.
func (f *File) loadMiniStream(start uint32) error {
	root, err := f.readEntry(0)
	if err != nil {
		return err
	}
	if f.miniStream, err = f.readChain(root.start, root.size); err != nil {
		return err
	}
	links, err := f.readChain(start, math.MaxInt64)
	if err != nil {
		return err
	}
	raw := make([]byte, min(links.size, f.miniStream.size/miniSectorBytes*4+4))
	if _, err := links.ReadAt(raw, 0); err != nil {
		return err
	}
	f.miniFAT = appendUint32s(nil, raw)
	return nil
}

// bitset is a set of small non-negative numbers.
type bitset []uint64

func newBitset(n int64) bitset { return make(bitset, n/64+1) }

// set adds n to the set and reports whether n was not in the set before.
func (m bitset) set(n uint32) bool {
	bit := uint64(1) << (n % 64)
	fresh := m[n/64]&bit == 0
	m[n/64] |= bit
	return fresh
}

// Entry is an entry in the directory, such as a stream.
type Entry struct {
	name string
	kind byte
	// left and right are the numbers of sibling entries in the same storage. If the entry is a
	// storage, child is the number of one of the entries in it.
	left, right, child uint32
	start              uint32
	size               int64
}

// kindStream is the kind of an entry that is a stream.
const kindStream = 2

// readEntry reads the directory entry with the given number.
func (f *File) readEntry(number uint32) (Entry, error) {
	raw := make([]byte, entryBytes)
	off := int64(number) * entryBytes
	if off+entryBytes > f.directory.size {
		return Entry{}, &DamageError{intray.NewMessage("xls.no_directory_entry", intray.Params{"entry": number})}
	}
	if _, err := f.directory.ReadAt(raw, off); err != nil {
		return Entry{}, err
	}
	e := Entry{
		kind: raw[66], left: little.Uint32(raw[68:]), right: little.Uint32(raw[72:]), child: little.Uint32(raw[76:]),
		start: little.Uint32(raw[116:]), size: int64(little.Uint32(raw[120:])),
	}
	if high := little.Uint32(raw[124:]); f.version >= 4 && high != 0 {
		e.size = f.size + 1 // larger than any stream in the file, so that the stream is truncated
	}
	units := make([]uint16, 0, 32)
	for i := 0; i+2 < min(int(little.Uint16(raw[64:])), 64); i += 2 {
		units = append(units, little.Uint16(raw[i:]))
	}
	e.name = string(utf16.Decode(units))
	return e, nil
}

// Find returns the streams that have one of the given names, keyed by that name. It ignores
// case. It does not search storages, because their streams belong to embedded objects.
func (f *File) Find(names ...string) (map[string]Entry, error) {
	root, err := f.readEntry(0)
	if err != nil {
		return nil, err
	}
	found := map[string]Entry{}
	seen := newBitset(f.directory.size / entryBytes)
	for todo := []uint32{root.child}; len(todo) > 0; {
		number := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if int64(number) >= f.directory.size/entryBytes || !seen.set(number) {
			continue // the link is damaged: find the remaining streams
		}
		e, err := f.readEntry(number)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if e.kind == kindStream && strings.EqualFold(name, e.name) {
				found[name] = e
			}
		}
		todo = append(todo, e.left, e.right)
	}
	return found, nil
}

// OpenStream opens the stream of an entry.
func (f *File) OpenStream(e Entry) (*Stream, error) {
	if e.size < miniCutoff {
		s := &Stream{in: f.in, declaredSize: e.size}
		seen := newBitset(int64(len(f.miniFAT)))
		for next := e.start; s.size < e.size && int64(next) < int64(len(f.miniFAT)); next = f.miniFAT[next] {
			if !seen.set(next) {
				return nil, damaged(intray.NewMessage("xls.circular_sectors", nil))
			}
			off := int64(next) * miniSectorBytes
			if off >= f.miniStream.size {
				break
			}
			at, _ := f.miniStream.locate(off)
			s.addRun(at, min(miniSectorBytes, e.size-s.size, f.miniStream.size-off))
		}
		return s, nil
	}
	return f.readChain(e.start, e.size)
}

// Stream is a sequence of bytes in a file. It is immutable and safe for concurrent use.
type Stream struct {
	in   io.ReaderAt
	runs []run
	// size is the number of bytes of the stream that are in the file. declaredSize is
	// the number of bytes that the stream should have.
	size, declaredSize int64
}

// run is a contiguous part of a stream in the file.
type run struct{ start, fileOffset int64 }

// WholeFile returns a stream of the whole file, for files that are not compound files.
func WholeFile(in io.ReaderAt, size int64) *Stream {
	s := &Stream{in: in, declaredSize: size}
	s.addRun(0, size)
	return s
}

// addRun appends a contiguous part of the file.
func (s *Stream) addRun(at, length int64) {
	if last := len(s.runs) - 1; last < 0 || s.runs[last].fileOffset+s.size-s.runs[last].start != at {
		s.runs = append(s.runs, run{start: s.size, fileOffset: at})
	}
	s.size += length
}

// Size returns the number of bytes of the stream that the file contains.
func (s *Stream) Size() int64 { return s.size }

// Truncated reports whether the stream has fewer bytes than the file declares.
func (s *Stream) Truncated() bool { return s.size < s.declaredSize }

// locate returns the offset in the file of the byte at off, and the number of
// contiguous bytes from there on.
func (s *Stream) locate(off int64) (at, length int64) {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].start > off }) - 1
	end := s.size
	if i+1 < len(s.runs) {
		end = s.runs[i+1].start
	}
	return s.runs[i].fileOffset + off - s.runs[i].start, end - off
}

// ReadAt implements [io.ReaderAt]. It returns io.EOF only at the end of the stream.
func (s *Stream) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read a stream at %d", off)
	}
	for n < len(p) {
		if off >= s.size {
			return n, io.EOF
		}
		at, length := s.locate(off)
		some := min(int64(len(p)-n), length)
		if err := readFull(s.in, p[n:n+int(some)], at); err != nil {
			return n, err
		}
		n, off = n+int(some), off+some
	}
	return n, nil
}

// readFull reads len(p) bytes, all of which are within the file.
func readFull(in io.ReaderAt, p []byte, at int64) error {
	n, err := in.ReadAt(p, at)
	if n == len(p) && (err == nil || errors.Is(err, io.EOF)) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(p), at, err)
}
