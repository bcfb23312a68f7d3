// Package cfb reads OLE2 compound files: .xls workbooks, and .xlsx workbooks that
// are encrypted.
//
// A [File] is cut into sectors of one size, which a table of links, the FAT,
// joins to chains. A [Stream] is the chain that an [Entry] of the directory names.
// Streams shorter than 4,096 bytes are chains of small sectors in the mini stream.
//
// Whatever a file declares, opening it costs a few bytes of memory for each sector
// that fits into the file, and every loop of links is found. With the usual reader
// (mscfb), the file determines how deep it recurses and how often it follows a chain
// from its beginning.
//
// Errors are *[DamageError] for a file that cannot be read, and errors of the store. A
// truncated file can be opened: its chains end early, and its streams are truncated.
//
// The package finds only streams outside of all storages (folders). It reads no
// properties and writes nothing.
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

// Magic is the first eight bytes of a compound file.
const Magic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

const (
	headerBytes = 512
	entryBytes  = 128
	// miniSectorBytes is the size of a sector of the mini stream, which holds the
	// streams shorter than miniCutoff.
	miniSectorBytes = 64
	miniCutoff      = 4096
	// maxSector is the highest number of a sector. Those above it are marks, such
	// as the end of a chain.
	maxSector  = 0xFFFFFFFA
	endOfChain = 0xFFFFFFFE
)

// DamageError reports a file that cannot be read.
type DamageError struct {
	// Reason is a sentence without a full stop.
	Reason intray.Message
}

func (e *DamageError) Error() string { return e.Reason.String() }

func damaged(problem intray.Message) error {
	return &DamageError{intray.NewMessage("xls.container_damaged", intray.Params{"problem": problem})}
}

// File is an opened compound file. It does not change and is safe for concurrent
// use.
type File struct {
	in   io.ReaderAt
	size int64
	// shift is the size of a sector: 1<<shift bytes.
	shift uint
	// sectorCount is the number of sectors that the file has room for. The last
	// one may be cut.
	sectorCount int64
	fat         []uint32
	// version is 3 or 4.
	version   uint16
	directory *Stream
	// miniStream holds the short streams, and miniFAT joins its sectors.
	miniStream *Stream
	miniFAT    []uint32
}

var little = binary.LittleEndian

// Open reads the tables of a compound file.
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
	f.sectorCount = (size - 1) >> f.shift // the header takes the space of one
	if err := f.loadFAT(head); err != nil {
		return nil, err
	}
	var err error
	if f.directory, err = f.readChain(little.Uint32(head[48:]), math.MaxInt64); err != nil {
		return nil, err
	}
	return f, f.loadMiniStream(little.Uint32(head[60:]))
}

// sectorOffset returns where in the file a sector begins.
func (f *File) sectorOffset(sector uint32) int64 { return (int64(sector) + 1) << f.shift }

// readSector reads a sector within the file. Its missing end reads as marks of
// free sectors.
func (f *File) readSector(number uint32, into []byte) error {
	n := min(int64(len(into)), f.size-f.sectorOffset(number))
	for i := n; i < int64(len(into)); i++ {
		into[i] = 0xFF
	}
	return readFull(f.in, into[:n], f.sectorOffset(number))
}

// loadFAT reads the FAT, whose sectors are listed in the header and in the
// sectors of the DIFAT, as far as there are sectors to link.
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
			break // cut off; chains that lead there end early
		}
		if err := f.readSector(number, buf); err != nil {
			return err
		}
		f.fat = appendUint32s(f.fat, buf)
	}
	return nil
}

// regularSectors returns the numbers of sectors up to the first mark.
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

// readChain joins the sectors from start on to a stream of at most size bytes.
// The stream is truncated if they end early or after the end of the file.
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

// loadMiniStream reads what short streams need. The first entry of the directory
// has the mini stream.
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

// readMiniChain is readChain for the sectors of the mini stream.
func (f *File) readMiniChain(start uint32, size int64) (*Stream, error) {
	s := &Stream{in: f.in, declaredSize: size}
	seen := newBitset(int64(len(f.miniFAT)))
	for next := start; s.size < size && int64(next) < int64(len(f.miniFAT)); next = f.miniFAT[next] {
		if !seen.set(next) {
			return nil, damaged(intray.NewMessage("xls.circular_sectors", nil))
		}
		off := int64(next) * miniSectorBytes
		if off >= f.miniStream.size {
			break
		}
		at, _ := f.miniStream.locate(off)
		s.addRun(at, min(miniSectorBytes, size-s.size, f.miniStream.size-off))
	}
	return s, nil
}

// bitset is a set of numbers below a limit.
type bitset []uint64

func newBitset(n int64) bitset { return make(bitset, n/64+1) }

// set adds a number to the set and reports whether it is new.
func (m bitset) set(n uint32) bool {
	bit := uint64(1) << (n % 64)
	fresh := m[n/64]&bit == 0
	m[n/64] |= bit
	return fresh
}

// Entry is a stream as the directory lists it.
type Entry struct {
	name string
	kind byte
	// left and right lead to entries of the same storage, child to one inside.
	left, right, child uint32
	start              uint32
	size               int64
}

// kindStream is the kind of an entry that is a stream.
const kindStream = 2

// readEntry reads an entry of the directory by its number.
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
		e.size = f.size + 1 // more than the file can have
	}
	units := make([]uint16, 0, 32)
	for i := 0; i+2 < min(int(little.Uint16(raw[64:])), 64); i += 2 {
		units = append(units, little.Uint16(raw[i:]))
	}
	e.name = string(utf16.Decode(units))
	return e, nil
}

// Find returns the streams outside of all storages that have one of the names,
// in any case, by that name. Streams in storages belong to embedded objects.
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
			continue // a damaged link: find the streams that remain
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

// OpenStream returns the bytes of an entry.
func (f *File) OpenStream(e Entry) (*Stream, error) {
	if e.size < miniCutoff {
		return f.readMiniChain(e.start, e.size)
	}
	return f.readChain(e.start, e.size)
}

// Stream is a sequence of bytes in a file. It does not change and is safe for
// concurrent use.
type Stream struct {
	in   io.ReaderAt
	runs []run
	// size is how many bytes there are, declaredSize how many there should be.
	size, declaredSize int64
}

// run is a contiguous part of a stream in the file.
type run struct{ start, fileOffset int64 }

// WholeFile returns the bytes of a file that is not a compound file as a stream.
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

// Size returns the number of bytes of the stream that are in the file.
func (s *Stream) Size() int64 { return s.size }

// Truncated reports whether the stream should have more bytes.
func (s *Stream) Truncated() bool { return s.size < s.declaredSize }

// locate returns where in the file a byte of the stream is, and how many bytes
// follow it there.
func (s *Stream) locate(off int64) (at, length int64) {
	i := sort.Search(len(s.runs), func(i int) bool { return s.runs[i].start > off }) - 1
	end := s.size
	if i+1 < len(s.runs) {
		end = s.runs[i+1].start
	}
	return s.runs[i].fileOffset + off - s.runs[i].start, end - off
}

// ReadAt reads bytes of the stream, as io.ReaderAt demands. It returns io.EOF at
// the end of the stream only.
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

// readFull reads bytes that the file must have.
func readFull(in io.ReaderAt, p []byte, at int64) error {
	n, err := in.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(p), at, err)
}
